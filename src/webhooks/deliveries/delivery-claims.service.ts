import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Environment } from '../../domain/network.js';
import { CONFIG, type Config } from '../../platform/config.js';
import { Database, type Tx, sql } from '../../platform/database/database.js';
import { type ClaimedDelivery, DatabaseMoment } from './claimed-delivery.js';
import {
  CANCEL_STATEMENT,
  CLAIM_STATEMENT,
  PAUSE_STATEMENT,
  NEXT_DUE_STATEMENT,
  RESUME_STATEMENT,
  ENDPOINTS_CHANGED_STATEMENT,
} from './delivery-claims.sql.js';

/** Time to record an attempt after the receiver's timeout. */
const LEASE_MARGIN_MS = 5_000;

const BATCH = 500;

/** The number of deliveries that a process can take on. */
export interface FreeSlots {
  readonly total: number;
  /** The most of these that may go to failing endpoints. */
  readonly failing: number;
}

interface ClaimedRow {
  readonly id: string;
  readonly attempts: number;
  readonly event_id: string;
  readonly body: string;
  readonly traceparent: string | null;
  readonly endpoint_id: string;
  readonly environment: Environment;
  readonly url: string;
  readonly secret: Buffer;
  readonly previous_secret: Buffer | null;
  readonly failing: boolean;
  readonly now_ms: number;
}

/** Hands out due deliveries: each to one process at a time, and fairly between endpoints. */
@Injectable()
export class DeliveryClaimsService {
  private readonly leaseMs: number;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) config: Pick<Config, 'webhooks'>,
  ) {
    this.leaseMs = config.webhooks.timeoutMs + LEASE_MARGIN_MS;
  }

  /** Leases up to `slots.total` due deliveries. Deliveries of a crashed process can be claimed again when its lease ends. */
  async claim(slots: FreeSlots): Promise<ClaimedDelivery[]> {
    const leaseToken = randomUUID();
    const rows = await this.database.transaction(async (tx) => {
      await takeTurn(tx);
      return sql<ClaimedRow>(tx, CLAIM_STATEMENT, [slots.total, slots.failing, this.leaseMs, leaseToken]);
    });
    return rows.map((row) => claimedFrom(row, leaseToken));
  }

  /** Cancels, pauses or resumes the waiting deliveries of endpoints that were deleted, disabled or enabled again. */
  async applyEndpointChanges(): Promise<void> {
    if ((await this.database.query(ENDPOINTS_CHANGED_STATEMENT)).length === 0) return;
    await this.cancelOrphans();
    await this.pauseAndResume();
  }

  /** Cancels the waiting deliveries of deleted endpoints, in batches. */
  private async cancelOrphans(): Promise<void> {
    for (;;) {
      const cancelled = await this.database.query(CANCEL_STATEMENT, [BATCH]);
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
        const paused = await sql(tx, PAUSE_STATEMENT, [BATCH]);
        const resumed = await sql(tx, RESUME_STATEMENT, [BATCH]);
        return paused.length === BATCH || resumed.length > 0;
      });
      if (!isMore) return;
    }
  }

  /** Returns the milliseconds until the next delivery becomes due; null when none waits. */
  async nextDueInMs(): Promise<number | null> {
    const [row] = await this.database.query<{ due_in_ms: number | null }>(NEXT_DUE_STATEMENT);
    return row?.due_in_ms ?? null;
  }
}

/**
 * Waits until no other process claims, so that the count in flight per endpoint is exact. A claim takes milliseconds. Call
 * this before you lock deliveries.
 */
export async function takeTurn(tx: Tx): Promise<void> {
  await sql(tx, `select pg_advisory_xact_lock(hashtextextended($1, 0))`, ['coffer:webhooks.claim']);
}

function claimedFrom(row: ClaimedRow, leaseToken: string): ClaimedDelivery {
  return {
    id: row.id,
    leaseToken,
    attempt: row.attempts + 1,
    eventId: row.event_id,
    body: row.body,
    traceparent: row.traceparent,
    endpoint: {
      id: row.endpoint_id,
      environment: row.environment,
      url: row.url,
      sealedSecrets: row.previous_secret === null ? [row.secret] : [row.secret, row.previous_secret],
      failing: row.failing,
    },
    claimedAt: new DatabaseMoment(row.now_ms),
  };
}
