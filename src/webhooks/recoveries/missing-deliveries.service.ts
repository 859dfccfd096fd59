import { Injectable } from '@nestjs/common';
import { ALL_EVENT_TYPES } from '../../domain/event-type.js';
import { newId } from '../../domain/ids.js';
import { Database, type Tx, sql } from '../../platform/database/database.js';
import { findOpenEndpoint, type OpenEndpoint } from '../endpoints/open-endpoint.js';

const BATCH = 500;

interface PastEvent {
  readonly id: string;
  readonly created_at: string;
  readonly is_missing: boolean;
}

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
        const events = await nextEvents(tx, endpoint, after);
        const missing = events.filter((event) => event.is_missing).map((event) => event.id);
        return { last: events.at(-1), count: events.length, sent: await owe(tx, endpoint, missing) };
      });
      total += sent;
      if (last === undefined || count < BATCH) return total;
      after = [last.created_at, last.id];
    }
  }
}

/** A `ping` is never missing: it tests one endpoint at one time. */
function nextEvents(tx: Tx, endpoint: OpenEndpoint, after: readonly [Date | string, string]): Promise<PastEvent[]> {
  return sql<PastEvent>(
    tx,
    `select event.id, event.created_at,
            event.type <> 'ping' and $4::text[] && array[event.type, $5]
              and not exists (select from delivery where event_id = event.id and endpoint_id = $3) as is_missing
       from event
      where merchant_id = $1 and environment = $2 and sequence is not null
        and (created_at, id) > ($6::timestamptz, $7)
      order by created_at, id limit $8`,
    [endpoint.merchant_id, endpoint.environment, endpoint.id, endpoint.event_types, ALL_EVENT_TYPES, ...after, BATCH],
  );
}

async function owe(tx: Tx, endpoint: OpenEndpoint, eventIds: readonly string[]): Promise<number> {
  if (eventIds.length === 0) return 0;
  const owed = await sql(
    tx,
    `insert into delivery (id, event_id, endpoint_id, merchant_id, environment, status)
     select id, event_id, $3, $4, $5, 'pending' from unnest($1::text[], $2::text[]) as owed (id, event_id)
     on conflict (event_id, endpoint_id, series) do nothing
     returning id`,
    [eventIds.map(() => newId('dlv_')), eventIds, endpoint.id, endpoint.merchant_id, endpoint.environment],
  );
  return owed.length;
}
