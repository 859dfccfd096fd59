import { type Tx, sql } from '../platform/database/database.js';

/** So many breaches of one rule are named; the others are counted. */
const NAMED_MAX = 20;

/** A row that contradicts a rule of the books. */
export interface Finding {
  /** Which row, such as `deposit dep_01...`. */
  readonly row: string;
  /** What is wrong with it, as a sentence without its subject. */
  readonly says: string;
  /**
   * By how much, in smallest units or rows, where `says` names figures that move on with the books: the same gap in other
   * figures is nothing new.
   */
  readonly gap?: string;
}

/** What contradicts a rule: how many rows, and the first of them. */
export interface Breaches {
  readonly count: number;
  /** `NAMED_MAX` at most. */
  readonly named: readonly Finding[];
}

/** A broken rule, as it is kept with an audit. */
export interface BrokenRule extends Breaches {
  /** Its name. */
  readonly check: string;
}

/** One rule of the books, and how its breaches are found. */
export interface Check {
  /** Short, for logs and metrics. */
  readonly name: string;
  /** The rule, as a sentence. */
  readonly rule: string;
  /** What breaks it, or null. Reads alone, and in one snapshot with the other checks. */
  readonly find: (tx: Tx) => Promise<Breaches | null>;
}

/** Gathers breaches one by one. */
export class BreachList {
  private count = 0;
  private readonly named: Finding[] = [];

  add(finding: Finding): void {
    this.count += 1;
    if (this.named.length < NAMED_MAX) this.named.push(finding);
  }

  /** All of them so far; null when there are none. */
  get found(): Breaches | null {
    return this.count === 0 ? null : { count: this.count, named: this.named };
  }
}

interface FoundRow {
  row: string;
  says: string;
  gap: string | null;
  count: string;
}

const findingOf = ({ row, says, gap }: FoundRow): Finding => (gap === null ? { row, says } : { row, says, gap });

/**
 * A check by one statement, which gives `row` and `says` of breaches, and `gap` where the figures in `says` move on; the
 * first of them first.
 */
export function statementCheck(name: string, rule: string, statement: string): Check {
  const named = `
    select found.row, found.says, to_jsonb(found) ->> 'gap' as gap, count(*) over () as count
      from (${statement}) found limit ${NAMED_MAX}`;
  return {
    name,
    rule,
    find: async (tx) => {
      // Whole tables are compared. Where statistics are old, a nested loop looks cheap and takes the square of the time.
      await sql(tx, `set local enable_nestloop = off`);
      const rows = await sql<FoundRow>(tx, named);
      await sql(tx, `set local enable_nestloop = on`);
      const [first] = rows;
      if (first === undefined) return null;
      return { count: Number(first.count), named: rows.map(findingOf) };
    },
  };
}
