import type { Environment } from '../../domain/network.js';

/** A delivery that this process may attempt once before its lease ends, with everything the attempt needs. */
export interface ClaimedDelivery {
  readonly id: string;
  /** Proves that the lease is still ours when the attempt is recorded. Every claim has its own token. */
  readonly leaseToken: string;
  /** Number of the attempt, from 1. An attempt that was not recorded is repeated under the same number. */
  readonly attempt: number;
  readonly eventId: string;
  readonly body: string;
  readonly traceparent: string | null;
  readonly endpoint: ClaimedEndpoint;
  readonly claimedAt: DatabaseMoment;
}

/** The endpoint's current URL and secrets, which may have changed since the last attempt. */
export interface ClaimedEndpoint {
  readonly id: string;
  readonly environment: Environment;
  readonly url: string;
  /** Sealed signing secrets, the newest first. */
  readonly sealedSecrets: readonly Buffer[];
  /** Its latest attempt failed, and none has succeeded since. */
  readonly failing: boolean;
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
