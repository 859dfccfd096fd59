import { Chain } from '../../offers/chain.entity.js';
import { given, unnest } from '../../platform/sql/given.js';
import { sql } from '../../platform/sql/sql.js';
import { out, set, table } from '../../platform/sql/table.js';
import { ChainTransaction } from './chain-transaction.entity.js';
import { PAYMENTS } from './payment-tables.sql.js';
import type { PaymentPurpose } from './transaction-order.js';

const chain = table(Chain);
const transaction = table(ChainTransaction);
const taken = given('taken', { purposeId: 'text', txHash: 'text' });

/** Marks orders as signed. */
export function markSigned(purpose: PaymentPurpose, ids: readonly string[]) {
  const { order } = PAYMENTS[purpose];
  return sql`
    update ${order} set ${set(order, { signedAt: sql`now()`, waitingReason: null })} where ${order.id} = any(${ids})`;
}

/** Marks an order as unsigned, and removes the hash: the merchant must not see one that will never be mined. */
export function markUnsigned(purpose: PaymentPurpose, id: string) {
  const { order, stamp } = PAYMENTS[purpose];
  return sql`
    update ${order} set ${set(order, { signedAt: null, txHash: null, waitingReason: null })} ${stamp}
     where ${order.id} = ${id}`;
}

/** Records the hashes of transactions that nodes accepted in their open orders. */
export function recordHashes(
  purpose: PaymentPurpose,
  facts: readonly { readonly purposeId: string; readonly txHash: string }[],
) {
  const { order, stamp } = PAYMENTS[purpose];
  return sql`
    update ${order} set ${set(order, { txHash: taken.txHash })} ${stamp} from ${unnest(taken, facts)}
     where ${order.id} = ${taken.purposeId} and ${order.status} = 'broadcasting'
       and ${order.txHash} is distinct from ${taken.txHash}`;
}

/** Finds open orders on replaced chains. */
export function findOnReplacedChains(purpose: PaymentPurpose, limit: number) {
  const { order, chainRef } = PAYMENTS[purpose];
  return sql`
    select ${out(order, 'id')} from ${order} join ${chain} on ${chain.id} = ${chainRef}
     where ${order.status} = 'broadcasting' and not ${chain.active} limit ${limit}`;
}

/** Finds an open order of each kind on a replaced chain. */
export const ordersOnReplacedChains = sql`
  (${findOnReplacedChains('withdrawal', 1)}) union all (${findOnReplacedChains('deposit_return', 1)})`;

/** Ends the signed transaction of an order as one that is never sent again. */
export const abandonTransaction = (purpose: PaymentPurpose, purposeId: string) => sql`
  update ${transaction} set ${set(transaction, { status: 'abandoned', finishedAt: sql`now()` })}
   where ${transaction.purpose} = ${purpose} and ${transaction.purposeId} = ${purposeId} and ${transaction.status} = 'signed'`;
