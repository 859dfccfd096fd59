import { type Asset, contentHashOf } from '../../domain/posting.js';
import { BEFORE_FIRST_SEAL, sealHash } from '../../ledger/seal-chain.js';
import { type Database, type Tx, sql } from '../../platform/database/database.js';
import { BreachList, type Breaches, type Check, type Finding } from '../check.js';

const BATCH = 1_000;

/** A seal that was found to be correct. */
export interface KnownSeal {
  readonly sequence: number;
  readonly hash: string;
}

/** The start of the chain, before its first seal. */
export const NO_SEAL: KnownSeal = { sequence: 0, hash: BEFORE_FIRST_SEAL };

/** A leg as JSON: account, asset, amount. */
type LegRow = readonly [accountId: number, asset: Asset, amount: string];

interface BookedRow {
  readonly reference: string | null;
  readonly kind: string;
  readonly content_hash: string;
  readonly booked_at: string;
  readonly legs: readonly LegRow[] | null;
}

interface UnsealedRow extends BookedRow {
  readonly id: string;
  readonly waits: boolean;
  /** An entry that was booked much later is already sealed, although entries are sealed in the order of their ids. */
  readonly passed_over: boolean;
}

interface SealRow extends BookedRow {
  readonly sequence: string;
  readonly entry_id: string;
  readonly sealed_content: string;
  readonly hash: string;
}

const LEGS = `
  lateral (select json_agg(json_build_array(account_id, asset, amount::text) order by account_id) as legs
             from posting where posting.entry_id = entry.id) posted`;
const BOOKED_AT = `to_char(entry.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as booked_at`;

/** The next $2 seals above the sequence $1, each with its entry and postings. */
export const NEXT_SEALS_STATEMENT = `
  select seal.sequence, seal.entry_id, seal.content_hash as sealed_content, seal.hash,
         entry.reference, entry.kind, entry.content_hash, ${BOOKED_AT}, posted.legs
    from (select * from ledger_seal where sequence > $1 order by sequence limit $2) seal
    left join entry on entry.id = seal.entry_id left join ${LEGS} on true
   order by seal.sequence`;

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
    const seals = await sql<SealRow>(tx, NEXT_SEALS_STATEMENT, [link.sequence, BATCH]);
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
  const { entry_id: entryId, sequence, hash, reference, sealed_content: contentHash } = seal;
  if (reference === null) return { row: `entry ${entryId}`, says: `was sealed as number ${sequence} and is gone` };
  const changed = contentBreach(entryId, seal);
  if (changed !== null) return changed;
  if (seal.content_hash !== contentHash) return { row: `entry ${entryId}`, says: 'was changed after it was sealed' };
  if (before.length === 0 || hashesAfter(before, seal).includes(hash)) return null;
  return { row: `ledger_seal ${sequence}`, says: `does not follow from the seal before it (entry ${entryId})` };
}

/** Returns the hashes that a seal may have, given those of the previous link. */
function hashesAfter(before: readonly string[], seal: SealRow): string[] {
  const { entry_id: entryId, booked_at: bookedAt, sealed_content: contentHash } = seal;
  return before.map((hash) => sealHash(hash, { sequence: Number(seal.sequence), entryId, bookedAt, contentHash }));
}

function contentBreach(entryId: string, booked: BookedRow): Finding | null {
  if (hashOf(booked) === booked.content_hash) return null;
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
      const entries = await sql<UnsealedRow>(
        tx,
        `select entry.id, entry.reference, entry.kind, entry.content_hash, ${BOOKED_AT}, posted.legs,
                exists (select from unsealed_entry where entry_id = entry.id) as waits,
                coalesce(entry.created_at < (
                  select newest.created_at - interval '10 minutes' from entry newest
                   where newest.id = (select entry_id from ledger_seal order by sequence desc limit 1)), false) as passed_over
           from (select * from entry where id > $1 and not exists (select from ledger_seal where entry_id = entry.id)
                  order by id limit $2) entry
           left join ${LEGS} on true order by entry.id`,
        [above, BATCH],
      );
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
  if (entry.passed_over) return { row: `entry ${entry.id}`, says: 'was passed over when later ones were sealed' };
  return contentBreach(entry.id, entry);
}

/** Returns a finding when the chain no longer contains a seal that was correct, else null. */
export async function lostSeal(database: Database, { sequence, hash }: KnownSeal): Promise<Finding | null> {
  if (sequence === 0) return null;
  const row = `ledger_seal ${sequence}`;
  const [seal] = await database.query<{ hash: string }>(`select hash from ledger_seal where sequence = $1`, [sequence]);
  if (seal === undefined) return { row, says: 'is gone: entries that were there are missing' };
  if (seal.hash === hash) return null;
  return { row, says: `is another one now (${seal.hash}): the entries up to it were rewritten` };
}
