import { rows, type Tx } from '../platform/database/database.js';
import { allowNestedLoops, type BreachStatement, firstBreaches, forbidNestedLoops } from './check.sql.js';

/** The most breaches of one rule that are named; the others are only counted. */
const NAMED_MAX = 20;

/** A row that contradicts a rule of the books. */
export interface Finding {
  /** The row, such as `deposit dep_01...`. */
  readonly row: string;
  /** The problem, as a sentence without its subject. Stored, and compared with later audits. */
  readonly says: string;
  /**
   * The size of the problem in smallest units or rows, when `says` has figures that change with the books: the same gap with
   * other figures is not a new finding.
   */
  readonly gap?: string;
}

/** The breaches of a rule: their number, and the first of them. */
export interface Breaches {
  readonly count: number;
  /** At most `NAMED_MAX`. */
  readonly named: readonly Finding[];
}

/** Returns one finding as breaches. */
export const breachesOf = (finding: Finding | null): Breaches | null =>
  finding === null ? null : { count: 1, named: [finding] };

/** A broken rule, as stored with an audit. */
export interface BrokenRule extends Breaches {
  /** The name of the rule. */
  readonly check: string;
}

/** One rule of the books, with the search for its breaches. */
export interface Check {
  /** Short, for logs and metrics. */
  readonly name: string;
  /** The rule, as a sentence. */
  readonly rule: string;
  /** Returns its breaches, or null. Only reads, in one snapshot with the other checks. */
  readonly find: (tx: Tx) => Promise<Breaches | null>;
}

/** Collects breaches one by one. */
export class BreachList {
  private count = 0;
  private readonly named: Finding[] = [];

  add(finding: Finding): void {
    this.count += 1;
    if (this.named.length < NAMED_MAX) this.named.push(finding);
  }

  /** The breaches so far; null when there are none. */
  get found(): Breaches | null {
    return this.count === 0 ? null : { count: this.count, named: this.named };
  }
}

/**
 * Returns a check by one statement, which selects `row` and `says` of breaches in order, and `gap` when the figures in
 * `says` change with the books.
 */
export function statementCheck(name: string, rule: string, statement: BreachStatement): Check {
  return {
    name,
    rule,
    find: async (tx) => {
      await rows(tx, forbidNestedLoops);
      const found = await rows(tx, firstBreaches(statement, NAMED_MAX));
      await rows(tx, allowNestedLoops);
      const [first] = found;
      if (first === undefined) return null;
      const named = found.map(({ row, says, gap }) => (gap === null ? { row, says } : { row, says, gap }));
      return { count: Number(first.count), named };
    },
  };
}
