import { Inject, Injectable } from '@nestjs/common';
import { retryDelayMs } from '../../domain/webhook-retry-schedule.js';
import { CONFIG, type Config } from '../../platform/config.js';
import { Database, sql, type SqlParameter } from '../../platform/database/database.js';
import { GroupCommit } from '../../platform/group-commit.js';
import type { DeliveryResult } from '../../platform/metrics.js';
import type { Attempt } from './attempt.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { ACKNOWLEDGE_STATEMENT, MOVE_ON_STATEMENT } from './attempt-recorder.sql.js';
import { EndpointHealthService } from '../endpoints/endpoint-health.service.js';

/** The recorded result. `retryInMs` is null unless another attempt follows. */
export interface Recorded {
  readonly result: DeliveryResult;
  readonly retryInMs: number | null;
}

/** A delivery with the attempt that was made. */
interface Made {
  readonly delivery: ClaimedDelivery;
  readonly attempt: Attempt;
}

const DELIVERED: Recorded = { result: 'delivered', retryInMs: null };
/** Two batches at once, so that the database writes one while this process handles the result of the other. */
const ACKNOWLEDGED = { batchMax: 256, batchesAtOnce: 2 };

/** Records attempts and the resulting state of deliveries. */
@Injectable()
export class AttemptRecorder {
  private readonly backoffBaseMs: number;
  /** Most attempts are acknowledged and need no decision, so they are recorded in batches. */
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
   * Records an attempt and the delivery's next state in one transaction. Returns null and records nothing when the lease
   * was lost meanwhile, because another process has taken the delivery over.
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
      const moved = await sql<Moved>(tx, MOVE_ON_STATEMENT, moving([{ delivery, attempt }], recorded));
      if (moved.length === 0) return null;
      if (!attempt.ourFault) {
        await this.health.failed(tx, delivery.endpoint.id, { isDeadLetter: recorded.result === 'dead_letter' });
      }
      return recorded;
    });
  }

  private async recordAcknowledged(batch: readonly Made[]): Promise<{ recorded: Recorded | null }[]> {
    const moved = await this.database.query<Moved>(ACKNOWLEDGE_STATEMENT, moving(batch, DELIVERED));
    const ours = new Set(moved.map((row) => row.delivery_id));
    return batch.map(({ delivery }) => ({ recorded: ours.has(delivery.id) ? DELIVERED : null }));
  }
}

/** A delivery whose attempt was recorded, because its lease was still ours. */
interface Moved {
  readonly delivery_id: string;
}

/** The parameters that record the attempts, schedule the next one or finish the deliveries, and release the leases. */
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
