import type { Database } from '../../platform/database/database.js';
import type { AuditedChain } from '../audited-chain.js';
import { breachesOf, checkedRule, type CheckedRule } from '../books-verification.js';
import type { Finding } from '../check.js';
import { findBalanceBreach } from './chain-balances.js';
import { findDepositBreach } from './chain-deposits.js';
import { findHotWalletBreach } from './chain-hot-wallet.js';
import { findNonceBreach, findPaymentBreach } from './chain-payments.js';

interface ChainCheck {
  readonly name: string;
  readonly rule: string;
  /** Calls `unasked` with a sentence for each comparison that the chain did not allow. */
  readonly find: (database: Database, chain: AuditedChain, unasked: (what: string) => void) => Promise<Finding | null>;
}

const CHECKS: readonly ChainCheck[] = [
  {
    name: 'deposits_are_on_chain',
    rule: 'Every final deposit is in its block, and every transfer to us in those blocks is a deposit.',
    find: findDepositBreach,
  },
  {
    name: 'addresses_hold_deposits',
    rule: 'Every deposit address holds the tokens of its deposits, and at least their coins.',
    find: findBalanceBreach,
  },
  {
    name: 'hot_wallet_holds_books',
    rule: 'The hot wallet holds the coins and tokens that the books say.',
    find: findHotWalletBreach,
  },
  {
    name: 'payments_are_on_chain',
    rule: 'Every finished transaction is on the chain with its outcome; no other version of it is, and no abandoned or superseded one.',
    find: findPaymentBreach,
  },
  {
    name: 'nonces_are_ours',
    rule: 'The chain counts only our transactions for the hot wallet, and none that was abandoned or superseded.',
    find: findNonceBreach,
  },
];

/** The result of comparing the books with a chain. */
export interface CheckedChain {
  readonly rules: readonly CheckedRule[];
  /** The comparisons that the chain did not allow, each with its place and the reason. */
  readonly unasked: readonly string[];
}

/**
 * Compares the books with one chain. Reads the blocks of deposits, the balance of every address and the receipt of every
 * payment, so it takes as long as the node needs for these; no transaction is open meanwhile.
 * @throws ChainUnavailable when the node does not answer.
 */
export async function checkChain(database: Database, chain: AuditedChain): Promise<CheckedChain> {
  const rules: CheckedRule[] = [];
  const unasked: string[] = [];
  const place = `${chain.environment}/${chain.network}`;
  for (const { name, rule, find } of CHECKS) {
    const finding = await find(database, chain, (what) => unasked.push(`${place}: ${what}`));
    rules.push(checkedRule({ name, rule: `${place}: ${rule}` }, breachesOf(finding)));
  }
  return { rules, unasked };
}
