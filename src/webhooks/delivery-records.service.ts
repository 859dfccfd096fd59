import { Inject, Injectable } from '@nestjs/common';
import { retryDelayMs } from '../domain/backoff.js';
import { CONFIG, type Config } from '../platform/config.js';
import { Database, type Tx, sql } from '../platform/database/database.js';
import { GroupCommit } from '../platform/group-commit.js';
import type { DeliveryResult } from '../platform/metrics.js';
import type { Attempt } from './attempt.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { EndpointHealthService } from './endpoint-health.service.js';

/** What became of a delivery. `retryInMs` is null unless another attempt follows. */
export interface Recorded {
  readonly result: DeliveryResult;
  readonly retryInMs: number | null;
}

/** An attempt that was made of a delivery. */
interface Made {
  readonly delivery: ClaimedDelivery;
  readonly attempt: Attempt;
}

const DELIVERED: Recorded = { result: 'delivered', retryInMs: null };
const ACKNOWLEDGED_AT_ONCE_MAX = 64;

/** Writes down attempts, and what follows from them. */
@Injectable()
export class DeliveryRecordsService {
  private readonly backoffBaseMs: number;
  /** Almost every attempt is acknowledged, and then there is nothing to decide: these are written together. */
  private readonly acknowledged = new GroupCommit<Made, { recorded: Recorded | null }>(
    (batch) => this.recordAcknowledged(batch),
    ACKNOWLEDGED_AT_ONCE_MAX,
  );

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
    if (!attempt.delivered) return this.recordFailed(delivery, attempt);
    const { recorded } = await this.acknowledged.add({ delivery, attempt });
    return recorded;
  }

  private async recordFailed(delivery: ClaimedDelivery, attempt: Attempt): Promise<Recorded | null> {
    const retryInMs = retryDelayMs(delivery.attempt, this.backoffBaseMs);
    const result = retryInMs === null ? 'dead_letter' : 'retrying';
    return this.database.transaction(async (tx) => {
      if (!(await moveOn(tx, delivery, { result, retryInMs }))) return null;
      await insertAttempts(tx, [{ delivery, attempt }]);
      if (!attempt.ourFault) {
        await this.health.failed(tx, delivery.endpoint.id, { isDeadLetter: result === 'dead_letter' });
      }
      return { result, retryInMs };
    });
  }

  private async recordAcknowledged(batch: readonly Made[]): Promise<{ recorded: Recorded | null }[]> {
    return this.database.transaction(async (tx) => {
      const moved = await finish(tx, batch);
      const ours = batch.filter(({ delivery }) => moved.has(delivery.id));
      await insertAttempts(tx, ours);
      await this.health.succeeded(tx, [...new Set(ours.map(({ delivery }) => delivery.endpoint.id))]);
      return batch.map(({ delivery }) => ({ recorded: moved.has(delivery.id) ? DELIVERED : null }));
    });
  }
}

/** Ends deliveries that were acknowledged, as far as they are still ours; answers with the ids of these. */
async function finish(tx: Tx, batch: readonly Made[]): Promise<ReadonlySet<string>> {
  const moved = await sql<{ id: string }>(
    tx,
    `update delivery
        set status = 'delivered', attempts = attempt.number, due_at = now(), finished_at = now(), lease_until = null,
            lease_holder = null
       from unnest($1::text[], $2::text[], $3::int[]) as attempt (id, token, number)
      where delivery.id = attempt.id and lease_holder = attempt.token and status = 'pending'
      returning delivery.id`,
    [
      batch.map(({ delivery }) => delivery.id),
      batch.map(({ delivery }) => delivery.leaseToken),
      batch.map(({ delivery }) => delivery.attempt),
    ],
  );
  return new Set(moved.map(({ id }) => id));
}

/** Plans the next attempt or ends the delivery, and gives the lease back; false when it is not ours any more. */
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

async function insertAttempts(tx: Tx, made: readonly Made[]): Promise<void> {
  if (made.length === 0) return;
  const attempts = made.map(({ attempt }) => attempt);
  await sql(
    tx,
    `insert into delivery_attempt (delivery_id, number, started_at, duration_ms, signed_at,
       response_status, error_code, error_message, response_headers, response_body)
     select * from unnest($1::text[], $2::int[], $3::timestamptz[], $4::int[], $5::bigint[],
       $6::int[], $7::text[], $8::text[], $9::jsonb[], $10::text[])`,
    [
      made.map(({ delivery }) => delivery.id),
      made.map(({ delivery }) => delivery.attempt),
      attempts.map(({ startedAt }) => startedAt),
      attempts.map(({ durationMs }) => durationMs),
      attempts.map(({ signedAt }) => signedAt),
      attempts.map(({ responseStatus }) => responseStatus),
      attempts.map(({ errorCode }) => errorCode),
      attempts.map(({ errorMessage }) => errorMessage),
      attempts.map(({ responseHeaders }) => (responseHeaders === null ? null : JSON.stringify(responseHeaders))),
      attempts.map(({ responseBody }) => responseBody),
    ],
  );
}
