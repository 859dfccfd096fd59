import { Injectable } from '@nestjs/common';
import { newId } from '../../domain/ids.js';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import { findOpenEndpoint } from '../endpoints/open-endpoint.js';
import type { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.js';
import { insertMissing, nextEvents } from './missing-deliveries.sql.js';

const BATCH = 500;

/** Sends an endpoint past events that it has no delivery of: from before its creation, or from while it was disabled. */
@Injectable()
export class MissingDeliveriesService {
  constructor(private readonly database: Database) {}

  /**
   * Creates a delivery for every event since `since` that the endpoint subscribes to now and has no delivery of. Returns
   * how many it created. The deliverer finds them within a second. After an interruption, call it again.
   * @throws DomainError `not_found`, and `invalid_state_transition` for a disabled endpoint.
   */
  async send(endpointId: string, since: Date): Promise<number> {
    let total = 0;
    let after: readonly [createdAt: Date | string, id: string] = [since, ''];
    for (;;) {
      const { last, count, sent } = await this.database.transaction(async (tx) => {
        const endpoint = await findOpenEndpoint(tx, {}, endpointId);
        const events = await rows(tx, nextEvents(endpoint, after, BATCH));
        const missing = events.filter((event) => event.isMissing);
        return { last: events.at(-1), count: events.length, sent: await owe(tx, endpoint, missing) };
      });
      total += sent;
      if (last === undefined || count < BATCH) return total;
      after = [last.createdAt, last.id];
    }
  }
}

/**
 * Creates deliveries of events for an endpoint, unless they exist; for a job of staff if its id is given. Returns how many
 * it created.
 */
export async function owe(
  tx: Tx,
  endpoint: Pick<WebhookEndpoint, 'id' | 'merchantId' | 'environment'>,
  events: readonly { readonly id: string; readonly type: string }[],
  replayJobId: string | null = null,
): Promise<number> {
  if (events.length === 0) return 0;
  const { id: endpointId, merchantId, environment } = endpoint;
  const missing = events.map(({ id: eventId, type: eventType }) => ({
    id: newId('dlv_'),
    eventId,
    endpointId,
    merchantId,
    environment,
    eventType,
  }));
  return (await rows(tx, insertMissing(missing, replayJobId))).length;
}
