import { type CheckedRule, checkRules } from '../../src/auditor/books-verification.js';
import { type Database, type Tx } from '../../src/platform/database/database.js';
import { query } from '../support/sql.js';

/** A change that returns the falsified row as `row`, and the rule that must report that row. */
export type NamingCase = readonly [name: string, statement: string, rule: string];

class Undone extends Error {}

/** Returns the rules that these changes break. The owner makes them with all guards disabled, and rolls them back. */
export async function brokenBy(owner: Database, change: (tx: Tx) => Promise<unknown>): Promise<readonly CheckedRule[]> {
  let rules: readonly CheckedRule[] = [];
  const tampering = owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await change(tx);
    ({ rules } = await checkRules(tx));
    throw new Undone();
  });
  await expect(tampering).rejects.toThrow(Undone);
  return rules.filter(({ finding }) => finding !== null);
}

/** Returns the row that a rule reports; undefined when it holds. */
export const rowOf = (rules: readonly CheckedRule[], name: string): string | undefined =>
  rules.find((rule) => rule.name === name)?.finding?.row;

/** Asserts that a rule reports exactly the row that a statement changed and returned as `row`. */
export async function expectNamed(owner: Database, statement: string, rule: string): Promise<void> {
  let row: string | undefined;
  const rules = await brokenBy(owner, async (tx) => {
    const [changed] = await query<{ row: string }>(tx, statement);
    row = changed?.row;
  });
  expect(row).toMatch(/^\w+ /);
  expect(rowOf(rules, rule)).toBe(row);
}
