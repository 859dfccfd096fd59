import { createHash } from 'node:crypto';

/** The hash that precedes the first seal. */
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
 * Returns the hash of a seal: SHA-256 over the previous hash and the entry. One hash proves whether any entry up to it was
 * changed, removed or moved since. The database computes the same (migrations: ledger seals).
 */
export function sealHash(previous: string, { sequence, entryId, bookedAt, contentHash }: SealedEntry): string {
  return createHash('sha256').update([previous, sequence, entryId, bookedAt, contentHash].join('|')).digest('hex');
}
