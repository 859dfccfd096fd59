import { Inject, Injectable } from '@nestjs/common';
import { retryDelayMs } from '../domain/backoff.js';
import { CONFIG, type Config } from '../platform/config.js';
import { Database, type Tx, sql } from '../platform/database/database.js';
import type { DeliveryResult } from '../platform/metrics.js';
import type { Attempt } from './attempt.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { EndpointHealthService } from './endpoint-health.service.js';

/** What became of a delivery. `retryInMs` is null unless another attempt follows. */
export interface Recorded {
  readonly result: DeliveryResult;
  readonly retryInMs: number | null;
}

/** Writes down attempts, and what follows from them. */
@Injectable()
export class DeliveryRecordsService {
  private readonly backoffBaseMs: number;

  constructor(
    private readonly database: Database,
    private readonly health: EndpointHealthService,
    @Inject(CONFIG) config: Pick<Config, 'webhooks'>,
  ) {
    this.backoffBaseMs = config.webhooks.backoffBaseMs;
  }

  /**
   * Records an attempt and the delivery's next state in one transaction. Null when the lease was lost meanwhile: then
   * whoever took the delivery over has the say, and nothing is recorded.
   */
  async record(delivery: ClaimedDelivery, attempt: Attempt): Promise<Recorded | null> {
    const retryInMs = attempt.delivered ? null : retryDelayMs(delivery.attempt, this.backoffBaseMs);
    const result = attempt.delivered ? 'delivered' : retryInMs === null ? 'dead_letter' : 'retrying';
    return this.database.transaction(async (tx) => {
      if (!(await moveOn(tx, delivery, { result, retryInMs }))) return null;
      await insertAttempt(tx, delivery, attempt);
      if (attempt.delivered) await this.health.succeeded(tx, delivery.endpoint.id);
      else if (!attempt.ourFault) {
        await this.health.failed(tx, delivery.endpoint.id, { isDeadLetter: result === 'dead_letter' });
      }
      return { result, retryInMs };
    });
  }
}

/** Gives the delivery its next state and gives the lease back; false when it is not ours any more. */
async function moveOn(tx: Tx, delivery: ClaimedDelivery, { result, retryInMs }: Recorded): Promise<boolean> {
  const moved = await sql(
    tx,
    `update delivery
        set status = $3, attempts = $4, due_at = now() + coalesce($5::bigint, 0) * interval '1 millisecond',
            finished_at = case when $3 = 'pending' then null else now() end, lease_until = null, lease_holder = null
      where id = $1 and lease_holder = $2 and status = 'pending'
      returning id`,
    [delivery.id, delivery.leaseToken, result === 'retrying' ? 'pending' : result, delivery.attempt, retryInMs],
  );
  return moved.length > 0;
}

async function insertAttempt(tx: Tx, delivery: ClaimedDelivery, attempt: Attempt): Promise<void> {
  await sql(
    tx,
    `insert into delivery_attempt (delivery_id, number, started_at, duration_ms, signed_at,
       response_status, error_code, error_message, response_headers, response_body)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10)`,
    [
      delivery.id,
      delivery.attempt,
      attempt.startedAt,
      attempt.durationMs,
      attempt.signedAt,
      attempt.responseStatus,
      attempt.errorCode,
      attempt.errorMessage,
      attempt.responseHeaders === null ? null : JSON.stringify(attempt.responseHeaders),
      attempt.responseBody,
    ],
  );
}
