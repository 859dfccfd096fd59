import type { Environment } from '../../domain/network.js';

/** A delivery this process may attempt once, until its lease ends, with all it takes to do so. */
export interface ClaimedDelivery {
  readonly id: string;
  /** Proves that the lease is still ours when the attempt is recorded; another claim has another token. */
  readonly leaseToken: string;
  /** Number of the attempt to make, from 1. An attempt that was not recorded is made again under its number. */
  readonly attempt: number;
  readonly eventId: string;
  readonly body: string;
  readonly traceparent: string | null;
  readonly endpoint: ClaimedEndpoint;
  readonly claimedAt: DatabaseMoment;
}

/** The endpoint as it is now: a URL or secret that changed since the last attempt counts from this one on. */
export interface ClaimedEndpoint {
  readonly id: string;
  readonly environment: Environment;
  readonly url: string;
  /** Sealed secrets that sign, the newest first. */
  readonly sealedSecrets: readonly Buffer[];
  /** Its latest attempt failed, and none has succeeded since. */
  readonly failing: boolean;
}

/**
 * A moment by the database's clock, carried on by the monotonic clock of this process: every process signs and records
 * by one clock, and no step of the machine's clock shows.
 */
export class DatabaseMoment {
  private readonly takenAtMs = performance.now();

  constructor(private readonly databaseMs: number) {}

  /** The database's time now. */
  now(): Date {
    return new Date(this.databaseMs + performance.now() - this.takenAtMs);
  }
}
