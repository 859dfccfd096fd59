import { BEFORE_FIRST_LINK } from '../../domain/hash-chain.js';
import { type Database, rows, type Tx } from '../../platform/database/database.js';
import type { LedgerSeal } from '../../ledger/ledger-seal.entity.js';
import type { Row } from '../../platform/sql/row.js';
import type { Statement } from '../../platform/sql/sql.js';
import { BreachList, type Breaches, type Finding } from '../check.js';

const BATCH = 1_000;

/** A seal that was found to be correct. */
export interface KnownSeal {
  readonly sequence: number;
  readonly hash: string;
}

/** The start of a chain, before its first seal. */
export const NO_SEAL: KnownSeal = { sequence: 0, hash: BEFORE_FIRST_LINK };

/** A stored seal; the sequence is text, as pg delivers it. */
type StoredSeal = Row<LedgerSeal, 'sequence' | 'hash'>;

/** A hash chain of seals, with the rule that it is unbroken. */
export interface SealChain<Seal extends StoredSeal> {
  readonly name: string;
  readonly rule: string;
  /** The table of the seals. */
  readonly table: string;
  /** What is sealed, in the plural. */
  readonly sealed: string;
  /** Reads the next seals above a sequence, with what they seal. */
  readonly next: (above: number, limit: number) => Statement<Seal>;
  readonly find: (sequence: number) => Statement<Pick<StoredSeal, 'hash'>>;
  /** The row that a seal seals, such as `entry ent_01...`. */
  readonly rowOf: (seal: Seal) => string;
  /** Returns what is wrong with the sealed row itself, or null. */
  readonly contentBreach: (seal: Seal) => Finding | null;
  /** Returns the hash that a seal must have after another. */
  readonly hashAfter: (previous: string, seal: Seal) => string;
}

/** The result of walking a chain. */
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
 * Walks a chain from a correct seal to its end, in batches: each seal must follow from the one before it, and what it seals
 * must still have the sealed content. A bad seal is one breach: the next seals are compared with its stored hash.
 */
export async function walkChain<Seal extends StoredSeal>(
  tx: Tx,
  chain: SealChain<Seal>,
  from: KnownSeal,
): Promise<ChainWalk> {
  const breaches = new BreachList();
  let head = from;
  let link: Link = { sequence: from.sequence, hashes: [from.hash] };
  for (;;) {
    const seals = await rows(tx, chain.next(link.sequence, BATCH));
    for (const seal of seals) {
      const sequence = Number(seal.sequence);
      const missing = missingBetween(chain.table, link, sequence);
      if (missing !== null) breaches.add(missing);
      const expected = link.hashes.map((hash) => chain.hashAfter(hash, seal));
      const finding = breachOf(chain, missing === null ? expected : [], seal);
      if (finding !== null) breaches.add(finding);
      link = { sequence, hashes: finding === null ? [seal.hash] : [seal.hash, ...expected] };
      if (breaches.found === null) head = { sequence, hash: seal.hash };
    }
    if (seals.length < BATCH) return { breaches: breaches.found, head };
  }
}

function missingBetween(table: string, { sequence }: Link, next: number): Finding | null {
  if (next === sequence + 1) return null;
  const row = `${table} ${sequence + 1}`;
  return { row, says: next === sequence + 2 ? 'is missing' : `is missing, and so are those up to ${next - 1}` };
}

/** @param expected The hashes that the seal may have; none when the link before it is missing. */
function breachOf<Seal extends StoredSeal>(
  chain: SealChain<Seal>,
  expected: readonly string[],
  seal: Seal,
): Finding | null {
  const changed = chain.contentBreach(seal);
  if (changed !== null) return changed;
  if (expected.length === 0 || expected.includes(seal.hash)) return null;
  return {
    row: `${chain.table} ${seal.sequence}`,
    says: `does not follow from the seal before it (${chain.rowOf(seal)})`,
  };
}

/** Returns a finding when a chain no longer contains a seal that was correct, else null. */
export async function lostSeal<Seal extends StoredSeal>(
  database: Database,
  chain: SealChain<Seal>,
  { sequence, hash }: KnownSeal,
): Promise<Finding | null> {
  if (sequence === 0) return null;
  const row = `${chain.table} ${sequence}`;
  const [seal] = await database.rows(chain.find(sequence));
  if (seal === undefined) return { row, says: `is gone: ${chain.sealed} that were there are missing` };
  if (seal.hash === hash) return null;
  return { row, says: `is another one now (${seal.hash}): the ${chain.sealed} up to it were rewritten` };
}
