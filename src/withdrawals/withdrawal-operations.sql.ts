import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import type { Standing } from '../domain/outgoing-payment.js';
import { standingOf } from '../treasury/transactions/payment-standing.sql.js';
import { payment, unsignedPayments } from '../treasury/transactions/payment-tables.sql.js';
import { newUntil, waitingSince } from './policies/withdrawal-rules.sql.js';
import { Withdrawal } from './withdrawal.entity.js';

const withdrawal = table(Withdrawal);

/** When the destination of a withdrawal that waits for this stops being new. */
export const waitsUntil = sql`case when ${withdrawal.waitingReason} = 'new_destination' then ${newUntil} end`;

/** Reads the withdrawals that have not ended, the oldest first. */
export const openWithdrawals = (limit: number) => sql`
  select ${out(withdrawal, 'id', 'merchantId', 'environment', 'network', 'token', 'amount', 'tokenDecimals')},
         extract(epoch from clock_timestamp() - ${withdrawal.createdAt})::int ${as.int('age')},
         extract(epoch from clock_timestamp() - ${waitingSince})::int ${as.int('waited')},
         ${standingOf(withdrawal)} ${as.textOf<Standing>()('standing')}, ${waitsUntil} ${as.timeOrNull('newUntil')}
    from ${withdrawal} where ${withdrawal.status} = 'broadcasting'
   order by ${withdrawal.createdAt}, ${withdrawal.id} limit ${limit}`;

/** Sums the funds that unsigned payments need, by chain and token. */
export const wantedFunds = sql`
  select ${payment.chainRef.as('chainRef')}, ${payment.tokenContract.as('contract')}, sum(${payment.amount}) ${as.digits('amount')}
    from ${unsignedPayments} group by ${payment.chainRef}, ${payment.tokenContract}`;
