import type { AddressFamily } from '../../domain/network.js';
import type { FeeStrategy } from '../../domain/outgoing-payment.js';
import { Chain } from '../../offers/chain.entity.js';
import { ChainCursor } from '../../offers/chain-cursor.entity.js';
import { as } from '../../platform/sql/as.js';
import { join, sql, type SqlText } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { isToSign, PAYMENTS } from '../transactions/payment-tables.sql.js';
import { PAYMENT_PURPOSES, type PaymentPurpose } from '../transactions/transaction-order.js';
import { HotWallet } from '../wallets/hot-wallet.entity.js';
import { isSimulationDue, mayBeSimulated } from './payment-simulations.sql.js';

const wallet = table(HotWallet);
const chain = table(Chain);
const cursor = table(ChainCursor);

/** The orders of a purpose that have no other known obstacle than a simulation, on a chain. */
function waitingOn(chainRef: SqlText | string, purpose: PaymentPurpose): SqlText {
  const { from, terms, isPayable } = PAYMENTS[purpose];
  return sql`
    ${from} where ${terms.chainRef} = ${chainRef} and ${isToSign(purpose)} and ${mayBeSimulated(purpose)} and ${isPayable}`;
}

const hasWaiting = (purpose: PaymentPurpose): SqlText =>
  sql`exists (select from ${waitingOn(wallet.chainRef, purpose)})`;

/** Finds the hot wallets of chain families that may sign and have payments without another known obstacle. */
export const findPayingWallets = (families: readonly AddressFamily[]) => sql`
  select ${out(wallet, 'chainRef', 'addressKey')}, ${out(chain, 'network')}, ${out(cursor, 'finalizedHeight')}
    from ${wallet}
    join ${chain} on ${chain.id} = ${wallet.chainRef} and ${chain.active} and ${chain.family} = any(${families})
    join ${cursor} on ${cursor.chainRef} = ${wallet.chainRef}
   where ${wallet.frozenReason} is null and ${cursor.haltedReason} is null and ${cursor.finalityDoubt} is null
     and (${join(PAYMENT_PURPOSES.map(hasWaiting), ' or ')})`;

/** A page of due payments: those after the last one of the page before. */
interface PageOf {
  readonly after: { readonly at: Date; readonly id: string };
  readonly limit: number;
}

/** Reads the payments of a purpose on a chain that are due for a simulation, the oldest first. */
export function duePayments(purpose: PaymentPurpose, chainRef: string, { after, limit }: PageOf) {
  const { order, terms, feeStrategy } = PAYMENTS[purpose];
  return sql`
    select ${out(order, 'id', 'createdAt', 'destinationKey')}, ${out(terms, 'tokenContract', 'amount')},
           ${feeStrategy} ${as.textOf<FeeStrategy>()('strategy')}, clock_timestamp() ${as.time('now')}
      from ${waitingOn(chainRef, purpose)}
       and (${order.createdAt}, ${order.id}) > (${after.at}, ${after.id}) and ${isSimulationDue(purpose)}
     order by ${order.createdAt}, ${order.id} limit ${limit}`;
}
