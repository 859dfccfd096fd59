import type { OrderedStake } from '../../chains/stake-move.js';
import type { Environment } from '../../domain/network.js';
import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { out, set, table, values } from '../../platform/sql/table.js';
import { ChainTransaction } from '../transactions/chain-transaction.entity.js';
import { StakeOrder } from './stake-order.entity.js';

const order = table(StakeOrder);
const chain = table(Chain);
const transaction = table(ChainTransaction);

/** An order that no vault has signed for this long ends: the wallet must not stake after the order was forgotten. */
const unsignedFor = sql`interval '1 hour'`;

/** What an order changes. */
export interface StakeTerms {
  readonly move: OrderedStake['move'];
  /** Smallest units; 0 for a withdrawal. */
  readonly amount: bigint;
}

/** Inserts an order unless another one of its chain is open; returns its id if it did. */
export const insertOrder = (id: string, chainRef: string, terms: StakeTerms) => sql`
  insert into ${order} ${values(order, { id, chainRef, ...terms })} on conflict do nothing returning ${out(order, 'id')}`;

/** Inserts an order whose transaction was adopted. */
export const insertAdopted = (id: string, chainRef: string, terms: StakeTerms) => sql`
  insert into ${order} ${values(order, { id, chainRef, ...terms, isAdopted: true, signedAt: sql`now()` })}`;

/** Locks an order. */
export const lockOrder = (id: string) => sql`
  select ${out(order, 'chainRef', 'move', 'amount', 'signedAt', 'finishedAt')} from ${order}
   where ${order.id} = ${id} for no key update of ${order}`;

/** Marks the order of these terms that waits for its transaction as signed, and returns its id. */
export const markOrderSigned = (chainRef: string, { move, amount }: StakeTerms) => sql`
  update ${order} set ${set(order, { signedAt: sql`now()`, waitingReason: null })}
   where ${order.chainRef} = ${chainRef} and ${order.move} = ${move} and ${order.amount} = ${amount}
     and ${order.finishedAt} is null and ${order.signedAt} is null
  returning ${out(order, 'id')}`;

/** Ends an order. @param height of the block that has it; null when nothing was changed */
export const endOrder = (id: string, height: number | null) => sql`
  update ${order}
     set ${set(order, {
       succeeded: height !== null,
       finalHeight: height,
       waitingReason: null,
       finishedAt: sql`now()`,
     })}
   where ${order.id} = ${id}`;

/** Ends the orders that were not signed for too long, and on replaced chains all whose transaction was abandoned. */
export const endOutdatedOrders = sql`
  update ${order} set ${set(order, { succeeded: false, waitingReason: null, finishedAt: sql`now()` })}
   where ${order.finishedAt} is null
     and not exists (select from ${transaction} where ${transaction.purpose} = 'stake'
                      and ${transaction.purposeId} = ${order.id} and ${transaction.status} = 'signed')
     and ((${order.signedAt} is null and ${order.createdAt} < now() - ${unsignedFor})
          or ${order.chainRef} in (select ${chain.id} from ${chain} where not ${chain.active}))`;

/** Sums the stake that is about to be taken back, and that a stake which was read at this block still has. */
export const leavingAbove = (chainRef: string, above: number) => sql`
  select coalesce(sum(${order.amount}), 0) ${as.digits('stake')} from ${order}
   where ${order.chainRef} = ${chainRef} and ${order.move} = 'unstake'
     and (${order.finishedAt} is null or ${order.finalHeight} > ${above})`;

const shown = (which: SqlText) => sql`
  select ${out(order, 'id', 'chainRef', 'move', 'amount', 'createdAt', 'waitingReason', 'succeeded', 'finishedAt')},
         ${order.signedAt} is not null ${as.boolean('isSigned')},
         ${transaction.broadcastAt} is not null ${as.boolean('isSent')}, ${transaction.status.asOrNull('status')},
         ${transaction.minedHash.asOrNull('txHash')}
    from ${order} left join ${transaction} on ${transaction.purpose} = 'stake' and ${transaction.purposeId} = ${order.id}
  ${which}`;

/** Reads an order with its transaction. */
export const findOrder = (id: string) => shown(sql`where ${order.id} = ${id}`);

/** Reads the open order of a chain that an operator made. */
export const findOpenOrder = (chainRef: string) =>
  shown(sql`where ${order.chainRef} = ${chainRef} and ${order.finishedAt} is null and not ${order.isAdopted}`);

/** Reads the newest orders on the active chains of an environment. */
export const newestOrdersIn = (environment: Environment, limit: number) =>
  shown(sql`
    where ${order.chainRef} in (select ${chain.id} from ${chain}
                                 where ${chain.active} and ${chain.environment} = ${environment})
    order by ${order.createdAt} desc, ${order.id} desc limit ${limit}`);

/** Reads the newest orders of a chain. */
export const newestOrders = (chainRef: string, limit: number) =>
  shown(sql`where ${order.chainRef} = ${chainRef} order by ${order.createdAt} desc, ${order.id} desc limit ${limit}`);
