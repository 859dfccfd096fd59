import type { Database } from '../../../platform/database/database.js';
import { type ChainRule, checkByRules, type CheckedChain } from '../chain-rules.js';
import { findAccountHotWalletBreach } from '../accounts/account-hot-wallet.js';
import { findAccountPaymentBreach } from '../accounts/account-payments.js';
import type { AuditedBlockChain } from './audited-block-chain.js';
import { findBlockBalanceBreach } from './block-balances.js';
import { findBlockDepositBreach } from './block-deposits.js';
import { findLentEnergyBreach } from './lent-energy.js';

const CHECKS: readonly ChainRule<AuditedBlockChain>[] = [
  {
    name: 'deposits_are_on_chain',
    rule: 'Every final deposit is in its block, and every transfer of a token to us in those blocks is a deposit.',
    find: findBlockDepositBreach,
  },
  {
    name: 'addresses_hold_deposits',
    rule: 'Every deposit address holds at least the funds of its deposits and fundings.',
    find: findBlockBalanceBreach,
  },
  {
    name: 'hot_wallet_holds_books',
    rule: 'The hot wallet holds the coins and tokens that the books say.',
    find: findAccountHotWalletBreach,
  },
  {
    name: 'energy_is_lent_as_booked',
    rule: 'The hot wallet has lent the energy of exactly the stake that the books say.',
    find: findLentEnergyBreach,
  },
  {
    name: 'payments_are_on_chain',
    rule: 'Every finished transaction is on the chain with its outcome, and no expired, abandoned or superseded one is.',
    find: findAccountPaymentBreach,
  },
];

/**
 * Compares the books with a chain that is read by blocks and whose transactions expire, as `checkChain` does with others.
 * Whether the hot wallet has sent what is not recorded is not asked: no node keeps a list, and the worker reads every block.
 * @throws ChainUnavailable when the node does not answer.
 */
export function checkBlockChain(database: Database, chain: AuditedBlockChain): Promise<CheckedChain> {
  return checkByRules(database, chain, CHECKS);
}
