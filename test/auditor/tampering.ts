import { type CheckedRule, checkRules } from '../../src/auditor/books-verification.js';
import { type Database, sql, type Tx } from '../../src/platform/database/database.js';

/** A change that gives the row which it falsifies, as `row`, and the rule that is to name that row. */
export type NamingCase = readonly [name: string, statement: string, rule: string];

class Undone extends Error {}

/** The rules that are broken after these changes, which the owner makes with every guard switched off, and takes back. */
export async function brokenBy(owner: Database, change: (tx: Tx) => Promise<unknown>): Promise<readonly CheckedRule[]> {
  let rules: readonly CheckedRule[] = [];
  const tampering = owner.transaction(async (tx) => {
    await sql(tx, `set local session_replication_role = replica`);
    await change(tx);
    ({ rules } = await checkRules(tx));
    throw new Undone();
  });
  await expect(tampering).rejects.toThrow(Undone);
  return rules.filter(({ finding }) => finding !== null);
}

/** Which row a rule names; undefined when it holds. */
export const rowOf = (rules: readonly CheckedRule[], name: string): string | undefined =>
  rules.find((rule) => rule.name === name)?.finding?.row;

/** Asserts that a rule names the very row that a statement changed, which the statement gives as `row`. */
export async function expectNamed(owner: Database, statement: string, rule: string): Promise<void> {
  let row: string | undefined;
  const rules = await brokenBy(owner, async (tx) => {
    const [changed] = await sql<{ row: string }>(tx, statement);
    row = changed?.row;
  });
  expect(row).toMatch(/^\w+ /);
  expect(rowOf(rules, rule)).toBe(row);
}
