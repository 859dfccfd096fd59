import type { Database } from '../../platform/database/database.js';
import { checkedRule, type CheckedRule } from '../books-verification.js';
import { breachesOf, type Finding } from '../check.js';

/** A rule that compares the books with one chain. */
export interface ChainRule<Chain> {
  readonly name: string;
  readonly rule: string;
  /** Calls `unasked` with a sentence for each comparison that the chain did not allow. */
  readonly find: (database: Database, chain: Chain, unasked: (what: string) => void) => Promise<Finding | null>;
}

/** The result of comparing the books with a chain. */
export interface CheckedChain {
  readonly rules: readonly CheckedRule[];
  /** The comparisons that the chain did not allow, each with its place and the reason. */
  readonly unasked: readonly string[];
}

/**
 * Compares the books with one chain by rules, one after the other; no transaction is open meanwhile.
 * @throws ChainUnavailable when the node does not answer.
 */
export async function checkByRules<Chain extends { readonly environment: string; readonly network: string }>(
  database: Database,
  chain: Chain,
  chainRules: readonly ChainRule<Chain>[],
): Promise<CheckedChain> {
  const rules: CheckedRule[] = [];
  const unasked: string[] = [];
  const place = `${chain.environment}/${chain.network}`;
  for (const { name, rule, find } of chainRules) {
    const finding = await find(database, chain, (what) => unasked.push(`${place}: ${what}`));
    rules.push(checkedRule({ name, rule: `${place}: ${rule}` }, breachesOf(finding)));
  }
  return { rules, unasked };
}
