import type { RowOf } from '../../platform/sql/sql.js';
import type { claimDue } from './delivery-claims.sql.js';

/** A claimed delivery as it is read. */
export type ClaimedRow = RowOf<typeof claimDue>;

/** A delivery that this process may attempt once before its lease ends, with everything the attempt needs. */
export interface ClaimedDelivery extends Pick<ClaimedRow, 'id' | 'eventId' | 'body' | 'traceparent' | 'replayJobId'> {
  /** Proves that the lease is still ours when the attempt is recorded. Every claim has its own token. */
  readonly leaseToken: string;
  /** Number of the attempt, from 1. An attempt that was not recorded is repeated under the same number. */
  readonly attempt: number;
  readonly endpoint: ClaimedEndpoint;
  readonly claimedAt: DatabaseMoment;
}

/** The endpoint's current URL and secrets, which may have changed since the last attempt. */
export interface ClaimedEndpoint extends Pick<ClaimedRow, 'environment' | 'url' | 'failing'> {
  readonly id: string;
  /** Sealed signing secrets, the newest first. */
  readonly sealedSecrets: readonly Buffer[];
}

/**
 * A database time, advanced by the monotonic clock of this process. All processes sign and record by the database's clock,
 * and a step of the machine's clock has no effect.
 */
export class DatabaseMoment {
  private readonly takenAtMs = performance.now();

  constructor(private readonly databaseMs: number) {}

  /** The database's time now. */
  now(): Date {
    return new Date(this.databaseMs + performance.now() - this.takenAtMs);
  }
}
