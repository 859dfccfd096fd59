import type { Database } from '../../../platform/database/database.js';
import { type ChainRule, checkByRules, type CheckedChain } from '../chain-rules.js';
import { findAccountBalanceBreach } from './account-balances.js';
import { findAccountDepositBreach } from './account-deposits.js';
import { findAccountHotWalletBreach } from './account-hot-wallet.js';
import { findAccountPaymentBreach, findForeignSpending } from './account-payments.js';
import type { AuditedAccountChain } from './audited-account-chain.js';

const CHECKS: readonly ChainRule<AuditedAccountChain>[] = [
  {
    name: 'deposits_are_on_chain',
    rule: 'Every final deposit is in its transaction, and every transfer to us in those transactions is a deposit.',
    find: findAccountDepositBreach,
  },
  {
    name: 'addresses_hold_deposits',
    rule: 'Every deposit address holds at least the funds of its deposits.',
    find: findAccountBalanceBreach,
  },
  {
    name: 'hot_wallet_holds_books',
    rule: 'The hot wallet holds the coins and tokens that the books say.',
    find: findAccountHotWalletBreach,
  },
  {
    name: 'payments_are_on_chain',
    rule: 'Every finished transaction is on the chain with its outcome, and no expired, abandoned or superseded one is.',
    find: findAccountPaymentBreach,
  },
  {
    name: 'sent_are_ours',
    rule: 'The chain has only recorded transactions of the hot wallet.',
    find: findForeignSpending,
  },
];

/**
 * Compares the books with a chain that is read by accounts, as `checkChain` does with others.
 * @throws ChainUnavailable when the node does not answer.
 */
export function checkAccountChain(database: Database, chain: AuditedAccountChain): Promise<CheckedChain> {
  return checkByRules(database, chain, CHECKS);
}
