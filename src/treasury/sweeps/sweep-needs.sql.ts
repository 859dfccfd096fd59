import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { ChainTransaction } from '../transactions/chain-transaction.entity.js';
import { payment, unsignedPayments } from '../transactions/payment-tables.sql.js';
import { HotBalance } from '../wallets/hot-balance.entity.js';
import { HotWallet } from '../wallets/hot-wallet.entity.js';
import { Sweep } from './sweep.entity.js';
import { SweepItem } from './sweep-item.entity.js';

const wallet = table(HotWallet);
const balance = table(HotBalance);
const transaction = table(ChainTransaction);
const sweep = table(Sweep);
const item = table(SweepItem);

const missingByToken = sql`
  select ${payment.chainRef.as('chainRef')}, ${payment.tokenContract.as('token')},
         sum(${payment.amount}) ${as.digits('amount')}, count(*)::int ${as.int('count')}
    from ${unsignedPayments} where ${payment.waitingReason} = 'coins_missing'
   group by ${payment.chainRef}, ${payment.tokenContract}`;
const waiting = subselect('waiting', missingByToken);

/** Transactions whose cost is no part of the balance yet: open ones, and those that were mined since. */
const paidSince = sql`
  select ${out(transaction, 'value', 'tokenContract', 'amount', 'feePaid')} from ${transaction}
   where ${transaction.chainRef} = ${waiting.chainRef} and ${transaction.sender} = ${wallet.addressKey}
     and ${transaction.status} = 'signed'
  union all
  select case ${transaction.status} when 'succeeded' then ${transaction.value} else 0 end, ${transaction.tokenContract},
         case ${transaction.status} when 'succeeded' then ${transaction.amount} else 0 end, ${transaction.feePaid}
    from ${transaction}
   where ${transaction.chainRef} = ${waiting.chainRef} and ${transaction.sender} = ${wallet.addressKey}
     and ${transaction.status} <> 'signed' and ${transaction.minedHeight} > ${balance.height}`;
const paid = subselect('paid', paidSince);

const promisedUnits = sql`
  select coalesce(sum(case when ${waiting.token} = 'native' then ${paid.value} + coalesce(${paid.feePaid}, 0)
                           when ${paid.tokenContract} = ${waiting.token} then ${paid.amount} else 0 end), 0) ${as.digits('units')}
    from ${define(paid)}`;
const promised = subselect('promised', promisedUnits);

const arrivedUnits = sql`
  select coalesce(sum(${item.swept}), 0) ${as.digits('units')}
    from ${transaction} join ${item}
      on ${item.sweepId} = ${transaction.purposeId} and ${item.tokenContract} = ${waiting.token} and ${item.swept} > 0
   where ${transaction.chainRef} = ${waiting.chainRef} and ${transaction.purpose} = 'sweep'
     and ${transaction.status} = 'succeeded' and ${transaction.minedHeight} > ${balance.height}`;
const arrived = subselect('arrived', arrivedUnits);

/**
 * The funds that waiting payments miss, by chain and token, with the balance of the hot wallet and the part that it has
 * promised.
 */
const missingFunds = sql`
  ${define(waiting)}
  join ${wallet} on ${wallet.chainRef} = ${waiting.chainRef}
  join ${balance} on ${balance.chainRef} = ${waiting.chainRef} and ${balance.tokenContract} = ${waiting.token}
 cross join lateral ${define(promised)}
 cross join lateral ${define(arrived)}`;

const openItems = sql`
  ${sweep} join ${item} on ${item.sweepId} = ${sweep.id}
  where ${sweep.chainRef} = ${waiting.chainRef} and ${sweep.finishedAt} is null
    and ${item.tokenContract} = ${waiting.token}`;

const comingUnits = (unsignedFor: string) => sql`
  select coalesce(sum(${item.expected}), 0) ${as.digits('units')} from ${openItems}
     and (${sweep.signedAt} is not null or ${sweep.createdAt} > now() - ${unsignedFor}::interval)`;
const coming = subselect('coming', comingUnits);

/**
 * Finds the funds that waiting withdrawals and refunds miss, by chain and token: the requested amount, the balance of the
 * hot wallet, and the amount that open sweeps bring. One statement reads all of it, or a sweep that ends in between would
 * count twice or not at all.
 *
 * Gas promised to open transactions is not subtracted: most of it comes back, and it must not cause a need. A sweep
 * counts while it is signed or younger than `unsignedFor` (an interval), and its funds until they are part of the balance
 * that was read. There is no need without such a balance, or while a sweep for the same one is open.
 */
export const findNeeds = (unsignedFor: string) => sql`
  select ${waiting.chainRef.as('chainRef')}, ${waiting.token.as('token')}, ${waiting.amount.as('amount')},
         ${waiting.count.as('count')}, ${balance.amount} - ${promised.units} ${as.digits('held')},
         ${coming.units} + ${arrived.units} ${as.digits('underWay')}
    from ${missingFunds}
   cross join lateral ${define(coming, unsignedFor)}
   where not exists (select from ${openItems} and ${sweep.reason} = 'withdrawal')`;

const tokensOf = (sweepId: string) => sql`
  select distinct ${out(item, 'chainRef', 'tokenContract')} from ${item} where ${item.sweepId} = ${sweepId}`;
const brought = subselect('brought', tokensOf);

const signedUnits = (sweepId: string) => sql`
  select coalesce(sum(${item.expected}), 0) ${as.digits('units')} from ${openItems}
     and ${sweep.id} <> ${sweepId} and ${sweep.signedAt} is not null`;

/**
 * Whether withdrawals wait for every token that a sweep brings, beyond the balance of the hot wallet and the amounts of
 * other signed sweeps. In the coin the amount may suffice while its gas does not (`gasReserve`): the vault's last decision
 * holds while no coins are coming.
 */
export const isNeeded = (sweepId: string) => sql`
  select not exists (
    select from ${define(brought, sweepId)}
     where not exists (
       select from ${missingFunds}
        cross join lateral (${signedUnits(sweepId)}) ${coming}
        where ${waiting.chainRef} = ${brought.chainRef} and ${waiting.token} = ${brought.tokenContract}
          and (${waiting.amount} > ${balance.amount} - ${promised.units} + ${coming.units} + ${arrived.units}
               or (${waiting.token} = 'native' and ${coming.units} + ${arrived.units} = 0)))) ${as.boolean('isNeeded')}`;
