import { Chain } from '../../offers/chain.entity.js';
import { ChainToken } from '../../offers/chain-token.entity.js';
import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { as } from '../../platform/sql/as.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { countStandings, standingOf } from '../../treasury/transactions/payment-standing.sql.js';
import type { RefundStanding } from './refund-standing.js';
import { Refund } from './refund.entity.js';

const refund = table(Refund);
const deposit = table(Deposit);
const chain = table(Chain);
const token = table(ChainToken);

const waitingSince = sql`coalesce(${refund.signedAt}, ${refund.createdAt})`;
const oldestFirst = sql`order by ${refund.createdAt}, ${refund.id}`;

const refundsOf = (which: SqlText) => sql`
  select ${out(refund, 'id', 'depositId', 'destination', 'status', 'failureCode', 'txHash', 'createdAt')},
         ${out(deposit, 'chainRef', 'amount')}, ${out(chain, 'environment', 'network')}, ${out(token, 'symbol', 'decimals')},
         ${standingOf(refund)} ${as.textOf<RefundStanding>()('standing')},
         extract(epoch from clock_timestamp() - ${refund.createdAt})::int ${as.int('age')},
         extract(epoch from clock_timestamp() - ${waitingSince})::int ${as.int('waited')}
    from ${refund} join ${deposit} on ${deposit.id} = ${refund.depositId}
    join ${chain} on ${chain.id} = ${deposit.chainRef}
    join ${token} on ${token.chainRef} = ${deposit.chainRef} and ${token.contract} = ${deposit.tokenContract}
   where ${which}`;

/** Reads the refunds that have not ended, the oldest first. */
export const openRefunds = (limit: number) =>
  refundsOf(sql`${refund.status} = 'broadcasting' ${oldestFirst} limit ${limit}`);

/** Reads the unsigned refunds of a chain, the oldest first. */
export const unsignedRefunds = (chainRef: string, limit: number) =>
  refundsOf(sql`${refund.status} = 'broadcasting' and ${refund.signedAt} is null and ${deposit.chainRef} = ${chainRef}
    ${oldestFirst} limit ${limit}`);

/** Finds a refund by its id, or the newest refund of the deposit with this id. */
export const findRefund = (id: string) =>
  refundsOf(sql`(${refund.id} = ${id} or ${refund.depositId} = ${id})
    order by ${refund.createdAt} desc, ${refund.id} desc limit 1`);

/** Counts the open refunds by their standing, those that wait longest first. */
export const refundStandings = countStandings(refund, waitingSince);
