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
  /** `unasked` hears of what the chain could not be asked about, as a sentence. */
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
    rule: 'Every deposit address holds of each token what its deposits brought, and of the coin no less.',
    find: findBalanceBreach,
  },
  {
    name: 'hot_wallet_holds_books',
    rule: 'The hot wallet holds of the coin and of each token what the books say.',
    find: findHotWalletBreach,
  },
  {
    name: 'payments_are_on_chain',
    rule: 'Every transaction that ended is on the chain as it ended, none of its other versions is, and none that was given up.',
    find: findPaymentBreach,
  },
  {
    name: 'nonces_are_ours',
    rule: 'The chain counts no transaction of the hot wallet that is not ours, or was given up.',
    find: findNonceBreach,
  },
];

/** What comparing the books with a chain came to. */
export interface CheckedChain {
  readonly rules: readonly CheckedRule[];
  /** What the chain could not be asked about, each with its place and why. */
  readonly unasked: readonly string[];
}

/**
 * Compares the books with one chain (invariants D1 to D3, W1, W2). Reads the deposits' blocks, the balance of every address
 * and the receipt of every payment, so it takes as long as the node needs for these; no transaction is open meanwhile.
 * @throws ChainUnavailable when the node cannot tell.
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
