import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { ChainToken } from '../../offers/chain-token.entity.js';
import { PaymentIntent } from '../../payments/intents/payment-intent.entity.js';
import { as } from '../../platform/sql/as.js';
import { literal, sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { SandboxPayment } from '../sandbox-payment.entity.js';

const intent = table(PaymentIntent);
const deposit = table(Deposit);
const payment = table(SandboxPayment);
const token = table(ChainToken);

/** What the chain shows, or has become final. */
const onChain = sql`${deposit.status} <> 'orphaned'`;

const isOnItsWay = sql`
  ${payment.status} in ('queued', 'signed', 'sent')
  and not exists (select from ${deposit} where ${deposit.chainRef} = ${payment.chainRef}
                                           and ${deposit.txHash} = ${payment.txHash} and ${onChain})`;

/** Sums what has arrived for an intent in its token, what is ordered and not on the chain yet, and counts such orders. */
export const intentFunds = (id: string) => sql`
  select (select coalesce(sum(${deposit.amount}), 0) from ${deposit}
           where ${deposit.intentId} = ${intent.id} and ${onChain}) ${as.digits('arrived')},
         (select coalesce(sum(${payment.amount}), 0) from ${payment}
           where ${payment.intentId} = ${intent.id} and ${payment.tokenContract} = ${intent.tokenContract}
             and ${isOnItsWay}) ${as.digits('onTheWay')},
         exists (select from ${payment}
                  where ${payment.intentId} = ${intent.id} and ${isOnItsWay}) ${as.boolean('isPaymentOnTheWay')}
    from ${intent} where ${intent.id} = ${id}`;

/** Finds the newest orders to pay an intent, with their tokens. */
export const newestOrders = (intentId: string, limit: number) => sql`
  select ${out(payment, 'id', 'amount', 'status', 'failure', 'txHash', 'createdAt')},
         ${out(token, 'symbol', 'decimals')}
    from ${payment} join ${token} on ${token.chainRef} = ${payment.chainRef} and ${token.contract} = ${payment.tokenContract}
   where ${payment.intentId} = ${intentId} order by ${payment.createdAt} desc, ${payment.id} desc
   limit ${literal(limit)}`;

/** Finds the newest payment of an intent that a reorg can still drop, with the order that made it. */
export const newestUnfinalPayment = (intentId: string) => sql`
  select ${deposit.txHash.asNotNull('txHash')}, ${out(deposit, 'blockHeight')}, ${payment.id} ${as.textOrNull('orderId')},
         ${payment.nonce} ${as.digitsOrNull('nonce')}
    from ${deposit} left join ${payment} on ${payment.chainRef} = ${deposit.chainRef} and ${payment.txHash} = ${deposit.txHash}
   where ${deposit.intentId} = ${intentId} and ${deposit.status} = 'seen' and ${deposit.txHash} is not null
   order by ${deposit.blockHeight} desc limit 1`;
