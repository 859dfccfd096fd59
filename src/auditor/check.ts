import { type Tx, sql } from '../platform/database/database.js';

/** The first row that contradicts a rule of the books. */
export interface Finding {
  /** Which row, such as `deposit dep_01...`. */
  readonly row: string;
  /** What is wrong with it, as a sentence without its subject. */
  readonly says: string;
}

/** One rule of the books, and how a breach of it is found. */
export interface Check {
  /** Short, for logs and metrics. */
  readonly name: string;
  /** The rule, as a sentence. */
  readonly rule: string;
  /** The first breach, or null. Reads alone, and in one snapshot with the other checks. */
  readonly find: (tx: Tx) => Promise<Finding | null>;
}

/** A check by one statement, which gives `row` and `says` of breaches, the first of them first. */
export function statementCheck(name: string, rule: string, statement: string): Check {
  return {
    name,
    rule,
    find: async (tx) => {
      const [finding] = await sql<Finding>(tx, `${statement} limit 1`);
      return finding ?? null;
    },
  };
}
