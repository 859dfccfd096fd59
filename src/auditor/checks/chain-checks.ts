import type { Database } from '../../platform/database/database.js';
import { type ChainRule, checkByRules, type CheckedChain } from './chain-rules.js';
import type { AuditedChain } from '../audited-chain.js';
import { findBalanceBreach } from './chain-balances.js';
import { findDepositBreach } from './chain-deposits.js';
import { findHotWalletBreach } from './chain-hot-wallet.js';
import { findNonceBreach, findPaymentBreach } from './chain-payments.js';

const CHECKS: readonly ChainRule<AuditedChain>[] = [
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

/**
 * Compares the books with one chain. Reads the blocks of deposits, the balance of every address and the receipt of every
 * payment, so it takes as long as the node needs for these; no transaction is open meanwhile.
 * @throws ChainUnavailable when the node does not answer.
 */
export function checkChain(database: Database, chain: AuditedChain): Promise<CheckedChain> {
  return checkByRules(database, chain, CHECKS);
}
