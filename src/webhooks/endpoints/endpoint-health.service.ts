import { Injectable, Logger } from '@nestjs/common';
import { EventsService } from '../../events/events.service.js';
import { type Tx, afterCommit, sql } from '../../platform/database/database.js';
import { deadLettersOf } from './dead-letters.js';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';
import { presentEndpoint } from './webhook-endpoint.view.js';

const FAILING_DAYS_MAX = 5;
const DEAD_LETTERS_MIN = 20;

/** The noted success is at least a minute old, or there is none. */
const SUCCESS_IS_OLD = `(last_success_at is null or last_success_at <= now() - interval '1 minute')`;

/**
 * Returns SQL that clears the failures of endpoints after a success. It notes a success at most once a minute, so that a
 * busy endpoint's row is rarely written. It skips an endpoint whose row is locked, because the other acknowledged
 * deliveries of the batch must not wait: the next success clears that one.
 * @param endpointIds A query for the ids.
 */
export const noteSuccess = (endpointIds: string): string => `
  update webhook_endpoint
     set failing_since = null, dead_letters = 0,
         last_success_at = case when ${SUCCESS_IS_OLD} then now() else last_success_at end
   where id in (
     select id from webhook_endpoint
      where id in (${endpointIds}) and (failing_since is not null or dead_letters > 0 or ${SUCCESS_IS_OLD}) order by id
        for no key update skip locked)`;

/** Counts the failures of endpoints, and disables an endpoint that only fails. */
@Injectable()
export class EndpointHealthService {
  private readonly logger = new Logger(EndpointHealthService.name);

  constructor(private readonly events: EventsService) {}

  /** Records a failed attempt, and disables an endpoint with only failures for 5 days and at least 20 dead letters. */
  async failed(tx: Tx, endpointId: string, { isDeadLetter }: { isDeadLetter: boolean }): Promise<void> {
    await sql(
      tx,
      `update webhook_endpoint
          set failing_since = coalesce(failing_since, now()), dead_letters = dead_letters + $2::int
        where id = $1 and (failing_since is null or $2::int > 0)`,
      [endpointId, isDeadLetter ? 1 : 0],
    );
    const disabled = await sql(
      tx,
      `update webhook_endpoint set enabled = false, disabled_reason = 'failing', updated_at = now()
        where id = $1 and enabled and dead_letters >= $2 and failing_since <= now() - $3::int * interval '1 day'
        returning id`,
      [endpointId, DEAD_LETTERS_MIN, FAILING_DAYS_MAX],
    );
    if (disabled.length > 0) await this.notify(tx, endpointId);
  }

  private async notify(tx: Tx, endpointId: string): Promise<void> {
    const endpoint = await tx.findOneOrFail(WebhookEndpoint, { id: endpointId });
    const { merchantId, environment, url, deadLetters } = endpoint;
    await this.events.record(tx, {
      tenant: { merchantId, environment },
      type: 'webhook_endpoint.disabled',
      resourceId: endpointId,
      data: presentEndpoint(endpoint, await deadLettersOf(tx, endpointId)),
    });
    afterCommit(tx, () =>
      this.logger.error({
        msg: 'A webhook endpoint was disabled because all its attempts failed for days.',
        endpoint_id: endpointId,
        merchant_id: merchantId,
        environment,
        host: new URL(url).host,
        dead_letters: deadLetters,
      }),
    );
  }
}
