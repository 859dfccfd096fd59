import { Inject, Injectable } from '@nestjs/common';
import { retryDelayMs } from '../domain/backoff.js';
import { CONFIG, type Config } from '../platform/config.js';
import { Database, sql, type SqlParameter } from '../platform/database/database.js';
import { GroupCommit } from '../platform/group-commit.js';
import type { DeliveryResult } from '../platform/metrics.js';
import type { Attempt } from './attempt.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { clearRecords, EndpointHealthService } from './endpoint-health.service.js';

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
/** Two at once, so that the database writes the next one while this process hears about the one before. */
const ACKNOWLEDGED = { batchMax: 256, batchesAtOnce: 2 };

/**
 * One statement, because between two of them the process has other things to do, and the batch waits.
 * @param further What else follows for those that were `moved`, as one more common table expression.
 */
const moveOnStatement = (further = ''): string => `
  with made as (
    select * from unnest($3::text[], $4::text[], $5::int[], $6::timestamptz[], $7::int[], $8::bigint[],
        $9::int[], $10::text[], $11::text[], $12::jsonb[], $13::text[])
      as attempt (delivery_id, lease_token, number, started_at, duration_ms, signed_at,
        response_status, error_code, error_message, response_headers, response_body)),
  moved as (
    update delivery
       set status = $1, attempts = made.number, due_at = now() + coalesce($2::bigint, 0) * interval '1 millisecond',
           finished_at = case when $1 = 'pending' then null else now() end, lease_until = null, lease_holder = null
      from made
     where delivery.id = made.delivery_id and lease_holder = made.lease_token and status = 'pending'
    returning delivery.id, delivery.endpoint_id)${further}
  insert into delivery_attempt (delivery_id, number, started_at, duration_ms, signed_at,
    response_status, error_code, error_message, response_headers, response_body)
  select delivery_id, number, started_at, duration_ms, signed_at,
      response_status, error_code, error_message, response_headers, response_body
    from made join moved on moved.id = made.delivery_id
  returning delivery_id`;

const MOVE_ON = moveOnStatement();
const ACKNOWLEDGE = moveOnStatement(`,
  cleared as (${clearRecords('select endpoint_id from moved')})`);

/** Writes down attempts, and what follows from them. */
@Injectable()
export class DeliveryRecordsService {
  private readonly backoffBaseMs: number;
  /** Almost every attempt is acknowledged, and then there is nothing to decide: these are written together. */
  private readonly acknowledged = new GroupCommit<Made, { recorded: Recorded | null }>(
    (batch) => this.recordAcknowledged(batch),
    ACKNOWLEDGED,
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
    const recorded: Recorded = { result: retryInMs === null ? 'dead_letter' : 'retrying', retryInMs };
    return this.database.transaction(async (tx) => {
      const moved = await sql<Moved>(tx, MOVE_ON, moving([{ delivery, attempt }], recorded));
      if (moved.length === 0) return null;
      if (!attempt.ourFault) {
        await this.health.failed(tx, delivery.endpoint.id, { isDeadLetter: recorded.result === 'dead_letter' });
      }
      return recorded;
    });
  }

  private async recordAcknowledged(batch: readonly Made[]): Promise<{ recorded: Recorded | null }[]> {
    const moved = await this.database.query<Moved>(ACKNOWLEDGE, moving(batch, DELIVERED));
    const ours = new Set(moved.map((row) => row.delivery_id));
    return batch.map(({ delivery }) => ({ recorded: ours.has(delivery.id) ? DELIVERED : null }));
  }
}

/** A delivery whose lease was still ours, so that its attempt was written down. */
interface Moved {
  readonly delivery_id: string;
}

/** The parameters that write the attempts down, and plan the next one or end the deliveries, which gives the leases back. */
function moving(made: readonly Made[], { result, retryInMs }: Recorded): SqlParameter[] {
  const deliveries = made.map(({ delivery }) => delivery);
  const attempts = made.map(({ attempt }) => attempt);
  return [
    result === 'retrying' ? 'pending' : result,
    retryInMs,
    deliveries.map(({ id }) => id),
    deliveries.map(({ leaseToken }) => leaseToken),
    deliveries.map(({ attempt: number }) => number),
    attempts.map(({ startedAt }) => startedAt),
    attempts.map(({ durationMs }) => durationMs),
    attempts.map(({ signedAt }) => signedAt),
    attempts.map(({ responseStatus }) => responseStatus),
    attempts.map(({ errorCode }) => errorCode),
    attempts.map(({ errorMessage }) => errorMessage),
    attempts.map(({ responseHeaders }) => (responseHeaders === null ? null : JSON.stringify(responseHeaders))),
    attempts.map(({ responseBody }) => responseBody),
  ];
}
