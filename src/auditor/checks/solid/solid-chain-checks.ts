import type { BlockClient } from '../../../chains/chain.js';
import type { ExpiringClient } from '../../../chains/expiring.js';
import type { Database } from '../../../platform/database/database.js';
import { breachesOf, checkedRule, type CheckedRule } from '../../books-verification.js';
import type { Finding } from '../../check.js';
import { findAccountHotWalletBreach } from '../accounts/account-hot-wallet.js';
import { findAccountPaymentBreach, findForeignSpending } from '../accounts/account-payments.js';
import type { AuditedExpiringChain } from '../audited-expiring-chain.js';
import type { CheckedChain } from '../chain-checks.js';
import { findSolidBalanceBreach } from './solid-balances.js';
import { findSolidDepositBreach } from './solid-deposits.js';

/** A chain that is read by blocks, and whose transactions expire, to compare the books with. */
export interface AuditedSolidChain extends AuditedExpiringChain {
  readonly client: BlockClient & ExpiringClient;
}

interface SolidChainCheck {
  readonly name: string;
  readonly rule: string;
  /** Calls `unasked` with a sentence for each comparison that the chain did not allow. */
  readonly find: (
    database: Database,
    chain: AuditedSolidChain,
    unasked: (what: string) => void,
  ) => Promise<Finding | null>;
}

const CHECKS: readonly SolidChainCheck[] = [
  {
    name: 'deposits_are_on_chain',
    rule: 'Every final deposit is in its block, and every transfer of a token to us in those blocks is a deposit.',
    find: findSolidDepositBreach,
  },
  {
    name: 'addresses_hold_deposits',
    rule: 'Every deposit address holds at least the funds of its deposits and its fundings.',
    find: findSolidBalanceBreach,
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
    rule: 'The newest final blocks have only recorded transactions of the hot wallet.',
    find: findForeignSpending,
  },
];

/**
 * Compares the books with a chain whose nodes keep no past balances, as `checkChain` does with others: balances are those at
 * the newest final block.
 * @throws ChainUnavailable when the node does not answer.
 */
export async function checkSolidChain(database: Database, chain: AuditedSolidChain): Promise<CheckedChain> {
  const rules: CheckedRule[] = [];
  const unasked: string[] = [];
  const place = `${chain.environment}/${chain.network}`;
  for (const { name, rule, find } of CHECKS) {
    const finding = await find(database, chain, (what) => unasked.push(`${place}: ${what}`));
    rules.push(checkedRule({ name, rule: `${place}: ${rule}` }, breachesOf(finding)));
  }
  return { rules, unasked };
}
