import { TERMINAL_STATUSES } from '../domain/intent-state.js';
import { ChainToken } from '../offers/chain-token.entity.js';
import { Chain } from '../offers/chain.entity.js';
import { isRestarted, successions } from '../offers/replaced-chains.sql.js';
import { PoolAddress } from '../payments/addresses/pool-address.entity.js';
import { Deposit } from '../payments/deposits/deposit.entity.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { textList } from '../platform/database/text-list.js';
import { flooredNow } from '../platform/sql/floored-now.js';
import { define, subselect } from '../platform/sql/relation.js';
import { raw, sql, type SqlText } from '../platform/sql/sql.js';
import { set, table } from '../platform/sql/table.js';
import { SandboxPayment } from './sandbox-payment.entity.js';

const payment = table(SandboxPayment);
const earlier = table(SandboxPayment, 'earlier');
const replaced = table(Chain, 'replaced');
const successor = table(Chain, 'successor');
const token = table(ChainToken);
const deposit = table(Deposit);
const address = table(PoolAddress);
const intent = table(PaymentIntent);
const succession = subselect('succession', successions);

/** The chain of an order was replaced. */
const isOnReplaced = sql`
  ${replaced.id} = ${payment.chainRef} and ${replaced.environment} = 'sandbox' and not ${replaced.active}`;

/** A final deposit is the order's transaction. */
const hasDeposit = (order: typeof payment): SqlText => sql`
  exists (select from ${deposit} where ${deposit.chainRef} = ${order.chainRef} and ${deposit.txHash} = ${order.txHash}
                                   and ${deposit.status} = 'confirmed')`;

/** The sum of the final remainders on the address of an order, in its token. */
const remainders = sql`(
  select coalesce(sum(${deposit.amount}), 0) from ${deposit} join ${address} on ${address.id} = ${deposit.addressId}
   where ${address.intentId} = ${payment.intentId} and ${deposit.chainRef} = ${payment.chainRef}
     and ${deposit.tokenContract} = ${payment.tokenContract} and ${deposit.status} = 'confirmed' and ${deposit.txHash} is null)`;

/**
 * Remainders cover an order and those before it that have no deposit of their own. One that is larger than all remainders
 * is in none of them.
 */
const isCovered = sql`(${payment.amount} <= ${remainders} and ${remainders} >= (
  select sum(${earlier.amount}) from ${earlier}
   where ${earlier.intentId} = ${payment.intentId} and ${earlier.chainRef} = ${payment.chainRef}
     and ${earlier.tokenContract} = ${payment.tokenContract} and ${earlier.status} in ('signed', 'sent', 'final')
     and (${earlier.status} = 'final'
          or (${earlier.createdAt}, ${earlier.id}) <= (${payment.createdAt}, ${payment.id}))
     and ${earlier.amount} <= ${remainders} and not ${hasDeposit(earlier)}))`;

/** Marks orders as final that were final on a replaced chain: they are in the books. */
export const markPaidBefore = sql`
  update ${payment} set ${set(payment, { status: sql`'final'` })}
    from ${replaced} where ${isOnReplaced} and ${payment.status} in ('signed', 'sent')
     and (${hasDeposit(payment)} or ${isCovered})`;

/** Fails orders on replaced chains whose token the successor does not have. */
export const failWithoutToken = sql`
  update ${payment} set ${set(payment, {
    status: sql`'failed'`,
    failure: 'The chain was replaced, and the new one does not have this token.',
  })}
    from ${replaced} where ${isOnReplaced} and ${payment.status} in ('queued', 'signed', 'sent')
     and not exists (select from ${successor} join ${token} on ${token.chainRef} = ${successor.id}
                      where ${successor.active} and ${token.contract} = ${payment.tokenContract}
                        and (${successor.environment}, ${successor.network})
                          = (${replaced.environment}, ${replaced.network}) and ${isRestarted(replaced, successor)})`;

/** Moves orders to successors. An order follows its intent; that of an intent that has ended moves by itself. */
export const moveToSuccessors = sql`
  update ${payment} set ${set(payment, {
    chainRef: succession.successor,
    status: 'queued',
    sender: null,
    nonce: null,
    validity: null,
    rawTransaction: null,
    txHash: null,
    dueAt: flooredNow,
  })}
    from ${define(succession)}
    join ${token} on ${token.chainRef} = ${succession.successor}
   cross join ${intent}
   where ${payment.chainRef} = ${succession.replaced} and ${payment.status} in ('queued', 'signed', 'sent')
     and ${token.contract} = ${payment.tokenContract} and ${intent.id} = ${payment.intentId}
     and (${intent.chainRef} = ${succession.successor}
          or ${intent.status} in ${raw(textList(TERMINAL_STATUSES))})`;
