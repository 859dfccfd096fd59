import { ChainCursor } from '../offers/chain-cursor.entity.js';
import { ChainToken } from '../offers/chain-token.entity.js';
import { Chain } from '../offers/chain.entity.js';
import { sql, type SqlText } from '../platform/sql/sql.js';
import { out, set, table } from '../platform/sql/table.js';
import { SandboxPayment } from './sandbox-payment.entity.js';

const payment = table(SandboxPayment);
const chain = table(Chain);
const cursor = table(ChainCursor);
const token = table(ChainToken);

const isUnfinished: SqlText = sql`${payment.status} in ('queued', 'signed', 'sent')`;

/** Finds an order that is neither final nor failed, with its chain and token. */
export const findUnfinished = (id: string) => sql`
  select ${out(
    payment,
    'id',
    'chainRef',
    'tokenContract',
    'toAddress',
    'amount',
    'status',
    'sender',
    'nonce',
    'validity',
    'rawTransaction',
    'txHash',
  )}, ${out(chain, 'genesisHash', 'network')}, ${token.symbol.as('token')}, ${out(cursor, 'finalizedHeight')}
    from ${payment} join ${chain} on ${chain.id} = ${payment.chainRef}
    join ${cursor} on ${cursor.chainRef} = ${chain.id}
    join ${token} on ${token.chainRef} = ${payment.chainRef} and ${token.contract} = ${payment.tokenContract}
   where ${payment.id} = ${id} and ${isUnfinished}`;

/** Finds an order that is due. Each unfinished order is due again and again. */
export const dueOrder = sql`
  select ${out(payment, 'id')} from ${payment} where ${isUnfinished} and ${payment.dueAt} <= now() limit 1`;

/** Claims orders that are due, and makes them due again after an interval. */
export const claimOrders = (recheck: string, limit: number) => sql`
  update ${payment} set ${set(payment, { dueAt: sql`now() + ${recheck}::interval` })}
   where ${payment.id} in (select ${payment.id} from ${payment}
                            where ${isUnfinished} and ${payment.dueAt} <= now()
                            order by ${payment.dueAt} limit ${limit} for update skip locked)
  returning ${out(payment, 'id')}`;

/** Makes an order due after an interval. */
export const postponeOrder = (id: string, interval: string) => sql`
  update ${payment} set ${set(payment, { dueAt: sql`now() + ${interval}::interval` })} where ${payment.id} = ${id}`;
