import type { Database } from '../platform/database/database.js';
import type { AuditedChain } from './audited-chain.js';
import type { CheckedRule } from './books-verification.js';
import type { Finding } from './check.js';
import { findBalanceBreach } from './chain-balances.js';
import { findDepositBreach } from './chain-deposits.js';
import { findNonceBreach, findPaymentBreach } from './chain-payments.js';

interface ChainCheck {
  readonly name: string;
  readonly rule: string;
  readonly find: (database: Database, chain: AuditedChain) => Promise<Finding | null>;
}

const CHECKS: readonly ChainCheck[] = [
  {
    name: 'deposits_are_on_chain',
    rule: 'Every final deposit is in its block, and every transfer to us in those blocks is a deposit.',
    find: findDepositBreach,
  },
  {
    name: 'addresses_hold_deposits',
    rule: 'Every address of ours holds of each token what its deposits brought.',
    find: findBalanceBreach,
  },
  {
    name: 'payments_are_on_chain',
    rule: 'Every transaction that ended is on the chain as it ended, and none of its other versions is.',
    find: findPaymentBreach,
  },
  {
    name: 'nonces_are_ours',
    rule: 'The chain counts no transaction of the hot wallet that is not ours.',
    find: findNonceBreach,
  },
];

/** How many rules `checkChain` checks. */
export const CHAIN_RULES_COUNT = CHECKS.length;

/**
 * Compares the books with one chain (invariants D1 to D3, W1, W2). Reads the deposits' blocks, the balance of every address
 * and the receipt of every payment, so it takes as long as the node needs for these; no transaction is open meanwhile.
 * @throws ChainUnavailable when the node cannot tell.
 */
export async function checkChain(database: Database, chain: AuditedChain): Promise<readonly CheckedRule[]> {
  const rules: CheckedRule[] = [];
  for (const { name, rule, find } of CHECKS) {
    rules.push({
      name,
      rule: `${chain.environment}/${chain.network}: ${rule}`,
      finding: await find(database, chain),
    });
  }
  return rules;
}
