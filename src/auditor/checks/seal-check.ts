import { contentHashOf } from '../../domain/posting.js';
import { BEFORE_FIRST_SEAL, sealHash } from '../../ledger/seal-chain.js';
import { type Database, rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { BreachList, type Breaches, type Check, type Finding } from '../check.js';
import { findSeal, nextSeals, nextUnsealed } from './seal-check.sql.js';

const BATCH = 1_000;

/** A seal that was found to be correct. */
export interface KnownSeal {
  readonly sequence: number;
  readonly hash: string;
}

/** The start of the chain, before its first seal. */
export const NO_SEAL: KnownSeal = { sequence: 0, hash: BEFORE_FIRST_SEAL };

type SealRow = RowOf<typeof nextSeals>;
type UnsealedRow = RowOf<typeof nextUnsealed>;
/** The content of an entry; the reference is null when the entry is gone. */
type BookedRow = Pick<SealRow, 'reference' | 'kind' | 'contentHash' | 'legs'>;

/** The rule that `walkSeals` checks. */
export const SEALS_HOLD = {
  name: 'seals_hold',
  rule: 'The hash chain over the entries is unbroken, and no sealed entry has changed.',
} as const;

/** The result of walking the chain. */
export interface ChainWalk {
  /** Its breaches, or null. */
  readonly breaches: Breaches | null;
  /** The last seal before the first breach. */
  readonly head: KnownSeal;
}

/** The previous link with its possible hashes: after a breach both the stored and the correct one; none when it is missing. */
interface Link {
  readonly sequence: number;
  readonly hashes: readonly string[];
}

/**
 * Walks the chain from a correct seal to its end, in batches: each seal must follow from the one before it, and each entry
 * must still have the sealed content, down to its postings. A bad seal is one breach: the next seals are compared with its
 * stored hash.
 */
export async function walkSeals(tx: Tx, from: KnownSeal): Promise<ChainWalk> {
  const breaches = new BreachList();
  let head = from;
  let link: Link = { sequence: from.sequence, hashes: [from.hash] };
  for (;;) {
    const seals = await rows(tx, nextSeals(link.sequence, BATCH));
    for (const seal of seals) {
      const sequence = Number(seal.sequence);
      const missing = missingBetween(link, sequence);
      if (missing !== null) breaches.add(missing);
      const finding = breachOf(missing === null ? link.hashes : [], seal);
      if (finding !== null) breaches.add(finding);
      link = { sequence, hashes: finding === null ? [seal.hash] : [seal.hash, ...hashesAfter(link.hashes, seal)] };
      if (breaches.found === null) head = { sequence, hash: seal.hash };
    }
    if (seals.length < BATCH) return { breaches: breaches.found, head };
  }
}

function missingBetween({ sequence }: Link, next: number): Finding | null {
  if (next === sequence + 1) return null;
  const row = `ledger_seal ${sequence + 1}`;
  return { row, says: next === sequence + 2 ? 'is missing' : `is missing, and so are those up to ${next - 1}` };
}

/** @param before The possible hashes of the previous link; none when it is missing. */
function breachOf(before: readonly string[], seal: SealRow): Finding | null {
  const { entryId, sequence, hash, reference, sealedContent } = seal;
  if (reference === null) return { row: `entry ${entryId}`, says: `was sealed as number ${sequence} and is gone` };
  const changed = contentBreach(entryId, seal);
  if (changed !== null) return changed;
  if (seal.contentHash !== sealedContent) return { row: `entry ${entryId}`, says: 'was changed after it was sealed' };
  if (before.length === 0 || hashesAfter(before, seal).includes(hash)) return null;
  return { row: `ledger_seal ${sequence}`, says: `does not follow from the seal before it (entry ${entryId})` };
}

/** Returns the hashes that a seal may have, given those of the previous link. */
function hashesAfter(before: readonly string[], seal: SealRow): string[] {
  const { entryId, bookedAt, sealedContent: contentHash } = seal;
  return before.map((hash) => sealHash(hash, { sequence: Number(seal.sequence), entryId, bookedAt, contentHash }));
}

function contentBreach(entryId: string, booked: BookedRow): Finding | null {
  if (hashOf(booked) === booked.contentHash) return null;
  return { row: `entry ${entryId}`, says: `does not say any more what was booked as ${booked.reference}` };
}

/** Returns null when an amount is not a number: PostgreSQL also accepts NaN. */
function hashOf({ reference, kind, legs }: BookedRow): string | null {
  const posted = legs ?? [];
  if (posted.some(([, , amount]) => amount === 'NaN')) return null;
  const amounts = posted.map(([accountId, asset, amount]) => ({ accountId, asset, amount: BigInt(amount) }));
  return contentHashOf({ reference: reference ?? '', kind, legs: amounts });
}

/** Entries without a seal. */
export const UNSEALED_CHECK: Check = {
  name: 'unsealed_entries_hold',
  rule: 'An entry without a seal waits for it, and has the content that was booked.',
  find: async (tx) => {
    const breaches = new BreachList();
    let above = '';
    for (;;) {
      const entries = await rows(tx, nextUnsealed(above, BATCH));
      for (const entry of entries) {
        const finding = unsealedBreach(entry);
        if (finding !== null) breaches.add(finding);
        above = entry.id;
      }
      if (entries.length < BATCH) return breaches.found;
    }
  },
};

function unsealedBreach(entry: UnsealedRow): Finding | null {
  if (!entry.waits) return { row: `entry ${entry.id}`, says: 'has lost its seal' };
  if (entry.isPassedOver) return { row: `entry ${entry.id}`, says: 'was passed over when later ones were sealed' };
  return contentBreach(entry.id, entry);
}

/** Returns a finding when the chain no longer contains a seal that was correct, else null. */
export async function lostSeal(database: Database, { sequence, hash }: KnownSeal): Promise<Finding | null> {
  if (sequence === 0) return null;
  const row = `ledger_seal ${sequence}`;
  const [seal] = await database.rows(findSeal(sequence));
  if (seal === undefined) return { row, says: 'is gone: entries that were there are missing' };
  if (seal.hash === hash) return null;
  return { row, says: `is another one now (${seal.hash}): the entries up to it were rewritten` };
}
