import { linkHash } from '../domain/hash-chain.js';

/** An entry at its place in the chain. */
export interface SealedEntry {
  /** From 1, without gaps. */
  readonly sequence: number;
  readonly entryId: string;
  /** When it was booked, as an ISO 8601 time with milliseconds in UTC. */
  readonly bookedAt: string;
  readonly contentHash: string;
}

/** Returns the hash of a seal. The database computes the same (migrations: ledger seals). */
export function sealHash(previous: string, { sequence, entryId, bookedAt, contentHash }: SealedEntry): string {
  return linkHash(previous, [sequence, entryId, bookedAt, contentHash]);
}
