import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config.js';
import { Database, row, rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { type ClaimedDelivery, type ClaimedRow, DatabaseMoment } from './claimed-delivery.js';
import { endpointLimitsOf } from './endpoint-limits.js';
import {
  cancelOrphans,
  claimDue,
  type FreeSlots,
  pauseDisabled,
  pollState,
  resumeHeld,
  takeClaimingTurn,
} from './delivery-claims.sql.js';

/** Time to record an attempt after the receiver's timeout. */
const LEASE_MARGIN_MS = 5_000;

const BATCH = 500;

/** Hands out due deliveries: each to one process at a time, and fairly between endpoints. */
@Injectable()
export class DeliveryClaimsService {
  private readonly leaseMs: number;
  private readonly inFlightMax: number;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) config: Pick<Config, 'webhooks'>,
  ) {
    this.leaseMs = config.webhooks.timeoutMs + LEASE_MARGIN_MS;
    this.inFlightMax = endpointLimitsOf(config.webhooks).inFlight;
  }

  /** Leases up to `slots.total` due deliveries. Deliveries of a crashed process can be claimed again when its lease ends. */
  async claim(slots: FreeSlots): Promise<ClaimedDelivery[]> {
    const leaseToken = randomUUID();
    const claimed = await this.database.transaction(async (tx) => {
      await takeTurn(tx);
      return rows(tx, claimDue({ ...slots, perEndpoint: this.inFlightMax }, this.leaseMs, leaseToken));
    });
    return claimed.map((delivery) => claimedFrom(delivery, leaseToken));
  }

  /** Cancels, pauses or resumes the waiting deliveries of endpoints that were deleted, disabled or enabled again. */
  async applyEndpointChanges(): Promise<void> {
    await this.cancelOrphans();
    await this.pauseAndResume();
  }

  /** Cancels the waiting deliveries of deleted endpoints, in batches. */
  private async cancelOrphans(): Promise<void> {
    for (;;) {
      const cancelled = await this.database.rows(cancelOrphans(BATCH));
      if (cancelled.length < BATCH) return;
    }
  }

  /**
   * Pauses the deliveries of disabled endpoints and resumes those of endpoints that are enabled again, in batches, because
   * there may be any number.
   */
  private async pauseAndResume(): Promise<void> {
    for (;;) {
      const isMore = await this.database.transaction(async (tx) => {
        await takeTurn(tx);
        const paused = await rows(tx, pauseDisabled(BATCH));
        const resumed = await rows(tx, resumeHeld(BATCH));
        return paused.length === BATCH || resumed.length > 0;
      });
      if (!isMore) return;
    }
  }

  /** Returns what there is to do for a process that polls. */
  pollState(): Promise<RowOf<typeof pollState>> {
    return row(this.database.em(), pollState);
  }
}

/**
 * Waits until no other process claims, so that the count in flight per endpoint is exact. A claim takes milliseconds. Call
 * this before you lock deliveries.
 */
export async function takeTurn(tx: Tx): Promise<void> {
  await rows(tx, takeClaimingTurn);
}

function claimedFrom(delivery: ClaimedRow, leaseToken: string): ClaimedDelivery {
  return {
    id: delivery.id,
    leaseToken,
    attempt: delivery.attempts + 1,
    eventId: delivery.eventId,
    body: delivery.body,
    traceparent: delivery.traceparent,
    replayJobId: delivery.replayJobId,
    endpoint: {
      id: delivery.endpointId,
      environment: delivery.environment,
      url: delivery.url,
      sealedSecrets: delivery.previousSecret === null ? [delivery.secret] : [delivery.secret, delivery.previousSecret],
      failing: delivery.failing,
    },
    claimedAt: new DatabaseMoment(delivery.nowMs),
  };
}
