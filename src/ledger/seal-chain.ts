import { createHash } from 'node:crypto';

/** What the first seal follows from. */
export const BEFORE_FIRST_SEAL = '0'.repeat(64);

/** An entry at its place in the chain. */
export interface SealedEntry {
  /** From 1, without gaps. */
  readonly sequence: number;
  readonly entryId: string;
  /** When it was booked, as an ISO 8601 time with milliseconds in UTC. */
  readonly bookedAt: string;
  readonly contentHash: string;
}

/**
 * The hash of a seal: SHA-256 over the hash before it and the entry. Whoever knows one hash can tell whether any entry up
 * to it was changed, removed or moved since. The database computes the same (migrations: ledger seals).
 */
export function sealHash(previous: string, { sequence, entryId, bookedAt, contentHash }: SealedEntry): string {
  return createHash('sha256').update([previous, sequence, entryId, bookedAt, contentHash].join('|')).digest('hex');
}
