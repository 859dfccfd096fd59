import { type Asset, contentHashOf } from '../domain/posting.js';
import { BEFORE_FIRST_SEAL, sealHash } from '../ledger/seal-chain.js';
import { type Database, type Tx, sql } from '../platform/database/database.js';
import type { Check, Finding } from './check.js';

const BATCH = 1_000;

/** A link that is known to be good. */
export interface KnownSeal {
  readonly sequence: number;
  readonly hash: string;
}

/** What nothing was sealed before. */
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
  /** An entry is sealed already that was booked long after it: they are sealed in the order of their ids. */
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

/** The rule that `walkSeals` checks. */
export const SEALS_HOLD = {
  name: 'seals_hold',
  rule: 'The hash chain over the entries is unbroken, and every sealed entry says what it said then.',
} as const;

/** What walking the chain came to. */
export interface ChainWalk {
  readonly finding: Finding | null;
  /** The last link that is good. */
  readonly head: KnownSeal;
}

/**
 * Walks the chain from a good link to its end, in batches: each seal must follow from the one before it, and each entry
 * must still say what was sealed, down to its postings (invariant L5).
 */
export async function walkSeals(tx: Tx, from: KnownSeal): Promise<ChainWalk> {
  let head = from;
  for (;;) {
    const seals = await sql<SealRow>(
      tx,
      `select seal.sequence, seal.entry_id, seal.content_hash as sealed_content, seal.hash,
              entry.reference, entry.kind, entry.content_hash, ${BOOKED_AT}, posted.legs
         from (select * from ledger_seal where sequence > $1 order by sequence limit $2) seal
         left join entry on entry.id = seal.entry_id left join ${LEGS} on true
        order by seal.sequence`,
      [head.sequence, BATCH],
    );
    for (const seal of seals) {
      const finding = breachOf(head, seal);
      if (finding !== null) return { finding, head };
      head = { sequence: Number(seal.sequence), hash: seal.hash };
    }
    if (seals.length < BATCH) return { finding: null, head };
  }
}

function breachOf(head: KnownSeal, seal: SealRow): Finding | null {
  const { entry_id: entryId, hash, reference, booked_at: bookedAt, sealed_content: contentHash } = seal;
  const sequence = head.sequence + 1;
  if (Number(seal.sequence) !== sequence) return { row: `ledger_seal ${sequence}`, says: 'is missing' };
  if (reference === null) return { row: `entry ${entryId}`, says: `was sealed as number ${sequence} and is gone` };
  const changed = contentBreach(entryId, seal);
  if (changed !== null) return changed;
  if (seal.content_hash !== contentHash) return { row: `entry ${entryId}`, says: 'was changed after it was sealed' };
  if (sealHash(head.hash, { sequence, entryId, bookedAt, contentHash }) !== hash) {
    return { row: `ledger_seal ${sequence}`, says: `does not follow from the seal before it (entry ${entryId})` };
  }
  return null;
}

function contentBreach(entryId: string, { reference, kind, legs, content_hash: expected }: BookedRow): Finding | null {
  const posted = (legs ?? []).map(([accountId, asset, amount]) => ({ accountId, asset, amount: BigInt(amount) }));
  if (contentHashOf({ reference: reference ?? '', kind, legs: posted }) === expected) return null;
  return { row: `entry ${entryId}`, says: `does not say any more what was booked as ${reference}` };
}

/** Entries that no seal vouches for yet. */
export const UNSEALED_CHECK: Check = {
  name: 'unsealed_entries_hold',
  rule: 'An entry without a seal waits for it, and says what was booked.',
  find: async (tx) => {
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
        if (!entry.waits) return { row: `entry ${entry.id}`, says: 'has lost its seal' };
        if (entry.passed_over) return { row: `entry ${entry.id}`, says: 'was passed over when later ones were sealed' };
        const changed = contentBreach(entry.id, entry);
        if (changed !== null) return changed;
        above = entry.id;
      }
      if (entries.length < BATCH) return null;
    }
  },
};

/** What became of a link that was known to be good; null while the chain still has it. */
export async function lostSeal(database: Database, { sequence, hash }: KnownSeal): Promise<Finding | null> {
  if (sequence === 0) return null;
  const row = `ledger_seal ${sequence}`;
  const [seal] = await database.query<{ hash: string }>(`select hash from ledger_seal where sequence = $1`, [sequence]);
  if (seal === undefined) return { row, says: 'is gone: entries that were there are missing' };
  if (seal.hash === hash) return null;
  return { row, says: `is another one now (${seal.hash}): the entries up to it were written anew` };
}
