import { Inject, Injectable } from '@nestjs/common';
import { retryDelayMs } from '../../domain/webhook-retry-schedule.js';
import { CONFIG, type Config } from '../../platform/config.js';
import { Database, rows } from '../../platform/database/database.js';
import { GroupCommit } from '../../platform/group-commit.js';
import type { DeliveryResult } from '../../platform/metrics.js';
import type { Attempt } from './attempt.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { acknowledge, type Made, moveOn } from './attempt-recorder.sql.js';
import { EndpointHealthService } from '../endpoints/endpoint-health.service.js';

/** The recorded result. `retryInMs` is null unless another attempt follows. */
export interface Recorded {
  readonly result: DeliveryResult;
  readonly retryInMs: number | null;
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
      const status = recorded.result === 'retrying' ? 'pending' : recorded.result;
      const moved = await rows(tx, moveOn([{ delivery, attempt }], { status, retryInMs }));
      if (moved.length === 0) return null;
      if (!attempt.ourFault) {
        await this.health.failed(tx, delivery.endpoint.id, { isDeadLetter: recorded.result === 'dead_letter' });
      }
      return recorded;
    });
  }

  private async recordAcknowledged(batch: readonly Made[]): Promise<{ recorded: Recorded | null }[]> {
    const moved = await this.database.rows(acknowledge(batch));
    const ours = new Set(moved.map((row) => row.deliveryId));
    return batch.map(({ delivery }) => ({ recorded: ours.has(delivery.id) ? DELIVERED : null }));
  }
}
