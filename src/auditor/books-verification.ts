import type { Tx } from '../platform/database/database.js';
import { BOOKING_CHECKS } from './checks/booking-checks.sql.js';
import type { Breaches, Check, Finding } from './check.js';
import { GIVEN_UP_CHECKS } from './checks/given-up-checks.sql.js';
import { HOT_WALLET_CHECKS } from './checks/hot-wallet-checks.sql.js';
import { LEDGER_CHECKS } from './checks/ledger-checks.sql.js';
import { PAYMENT_CHECKS } from './checks/payment-checks.sql.js';
import { REFUSAL_CHECKS } from './checks/refusal-checks.sql.js';
import { REFUND_CHECKS } from './checks/refund-checks.sql.js';
import { ACTION_CHAIN, UNSEALED_ACTIONS_CHECK } from './checks/audit-seal-check.js';
import { ENTRY_CHAIN, UNSEALED_CHECK } from './checks/seal-check.js';
import { SIGNED_PAYMENTS_CHECK } from './checks/signed-payments.js';
import { NO_SEALS, type SealHeads, walkChains } from './seal-chains.js';
import { inSnapshot } from './snapshot.js';
import { STAKE_CHECKS } from './checks/stake-checks.sql.js';
import { ENERGY_CHECKS } from './checks/energy-checks.sql.js';
import { SWEEP_CHECKS } from './checks/sweep-checks.sql.js';
import { WITHDRAWAL_CHECKS } from './checks/withdrawal-checks.sql.js';

/** A rule of the books with its breaches. */
export interface CheckedRule {
  readonly name: string;
  readonly rule: string;
  /** The first breach, or null. */
  readonly finding: Finding | null;
  /** The further breaches, up to `NAMED_MAX` with the first. */
  readonly further: readonly Finding[];
  /** The number of all breaches. */
  readonly count: number;
}

/** Returns a rule with its breaches; null means that there are none. */
export function checkedRule({ name, rule }: Pick<CheckedRule, 'name' | 'rule'>, found: Breaches | null): CheckedRule {
  const [finding, ...further] = found?.named ?? [];
  return { name, rule, finding: finding ?? null, further, count: found?.count ?? 0 };
}

/** The result of checking all books. */
export interface Verification {
  readonly rules: readonly CheckedRule[];
  /** The last seals up to which the hash chains are correct. */
  readonly heads: SealHeads;
}

/** The rules beside the hash chains, from the books outwards. */
const CHECKS: readonly Check[] = [
  UNSEALED_CHECK,
  UNSEALED_ACTIONS_CHECK,
  ...LEDGER_CHECKS,
  ...BOOKING_CHECKS,
  ...PAYMENT_CHECKS,
  SIGNED_PAYMENTS_CHECK,
  ...WITHDRAWAL_CHECKS,
  ...GIVEN_UP_CHECKS,
  ...REFUND_CHECKS,
  ...REFUSAL_CHECKS,
  ...SWEEP_CHECKS,
  ...ENERGY_CHECKS,
  ...STAKE_CHECKS,
  ...HOT_WALLET_CHECKS,
];

/** Returns a rule as a sentence by its name; null for a rule that is no longer checked. */
export function ruleNamed(name: string): string | null {
  const chain = [ENTRY_CHAIN, ACTION_CHAIN].find((one) => one.name === name);
  return chain?.rule ?? CHECKS.find((check) => check.name === name)?.rule ?? null;
}

/**
 * Checks every rule of the books against one state of the database. Changes nothing and may take minutes; `onChecked` is
 * called after each rule.
 */
export function verifyBooks(databaseUrl: string, onChecked?: (rule: CheckedRule) => void): Promise<Verification> {
  return inSnapshot(databaseUrl, (tx) => checkRules(tx, onChecked));
}

/** Checks every rule in the snapshot of the transaction, the hash chains first. */
export async function checkRules(
  tx: Tx,
  onChecked: (rule: CheckedRule) => void = () => undefined,
): Promise<Verification> {
  const rules: CheckedRule[] = [];
  const checked = (rule: CheckedRule): void => {
    rules.push(rule);
    onChecked(rule);
  };
  const { found, heads } = await walkChains(tx, NO_SEALS);
  for (const { chain, breaches } of found) checked(checkedRule(chain, breaches));
  for (const check of CHECKS) checked(checkedRule(check, await check.find(tx)));
  return { rules, heads };
}

/** Returns the first broken rule, or null. */
export function firstBreach(rules: readonly CheckedRule[]): (CheckedRule & { readonly finding: Finding }) | null {
  for (const { finding, ...rule } of rules) if (finding !== null) return { ...rule, finding };
  return null;
}
