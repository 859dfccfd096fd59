import { Chain } from '../offers/chain.entity.js';
import type { Tenant } from '../domain/tenant.js';
import { WITHDRAWAL_STATUSES } from '../domain/withdrawal.js';
import { Pocket } from '../ledger/pocket.entity.js';
import { given, unnest } from '../platform/sql/given.js';
import { newestFirst, type TimeCursor, withinTime } from '../platform/sql/newest-first.js';
import { all, define, subselect } from '../platform/sql/relation.js';
import { join, sql, type SqlText } from '../platform/sql/sql.js';
import { every, out, table } from '../platform/sql/table.js';
import { ChainTransaction } from '../treasury/transactions/chain-transaction.entity.js';
import { TransactionAttempt } from '../treasury/transactions/transaction-attempt.entity.js';
import { Withdrawal } from './withdrawal.entity.js';
import type { ListWithdrawalsQuery } from './withdrawal.schema.js';

const withdrawal = table(Withdrawal);
const pocket = table(Pocket);
const chain = table(Chain);
const sent = table(ChainTransaction, 'sent');
const attempt = table(TransactionAttempt, 'attempt');

/** Reads one page of the tenant's withdrawals, newest first, after the cursor; one more than `limit`. */
export function withdrawalPage(tenant: Tenant, query: ListWithdrawalsQuery, cursor: TimeCursor | null) {
  const { reference, destination, tx_hash: hash } = query;
  const where = [
    sql`${withdrawal.merchantId} = ${tenant.merchantId}`,
    sql`${withdrawal.environment} = ${tenant.environment}`,
    ...withinTime(withdrawal, query, cursor),
  ];
  if (reference !== undefined) where.push(sql`${withdrawal.reference} = ${reference}`);
  // A destination has the address family of its pocket.
  if (destination !== undefined) where.push(sql`${withdrawal.destinationKey} = ${destination.key}`);
  if (hash !== undefined) where.push(sql`${withdrawal.id} = any(array(${signedAs(hash)}))`);
  if ((reference ?? destination) !== undefined && hash === undefined) return pageByPocket(tenant, query, where);
  if (query.status !== undefined) where.push(sql`${withdrawal.status} = ${query.status}`);
  if (query.pocket_id !== undefined) where.push(sql`${withdrawal.pocketId} = ${query.pocket_id}`);
  return newest(where, query);
}

/** Selects the orders that a hash paid. Every signed attempt counts, whichever of them was mined. */
const signedAs = ({ family, key }: NonNullable<ListWithdrawalsQuery['tx_hash']>) => sql`
  select ${sent.purposeId} from ${attempt}
    join ${sent} on ${sent.id} = ${attempt.transactionId} and ${sent.purpose} = 'withdrawal'
    join ${chain} on ${chain.id} = ${sent.chainRef} and ${chain.family} = ${family}
   where ${attempt.txHash} = ${key}`;

const newest = (where: readonly SqlText[], { limit }: ListWithdrawalsQuery) => sql`
  select ${every(withdrawal)} from ${withdrawal} where ${join(where, ' and ')} ${newestFirst(withdrawal)} limit ${limit + 1}`;

const pocketsOf = ({ merchantId, environment }: Tenant, which: SqlText) => sql`
  select ${out(pocket, 'id')} from ${pocket}
   where ${pocket.merchantId} = ${merchantId} and ${pocket.environment} = ${environment} ${which}`;

const listed = subselect('listed', newest);
const ofPocket = subselect('of_pocket', pocketsOf);
const ofStatus = given('of_status', { status: 'text' });

/**
 * A reference or a destination may match all withdrawals. So each pocket contributes its newest ones of each status, along
 * the indexes of both, and the page is the newest of these: a rare status costs the same as a common one.
 */
function pageByPocket(tenant: Tenant, query: ListWithdrawalsQuery, where: readonly SqlText[]) {
  const which = query.pocket_id === undefined ? sql`` : sql`and ${pocket.id} = ${query.pocket_id}`;
  const statuses = query.status === undefined ? WITHDRAWAL_STATUSES : [query.status];
  const ofBoth = [
    sql`${withdrawal.pocketId} = ${ofPocket.id}`,
    sql`${withdrawal.status} = ${ofStatus.status}`,
    ...where,
  ];
  return sql`
    select ${all(listed)}
      from ${define(ofPocket, tenant, which)}
     cross join ${unnest(
       ofStatus,
       statuses.map((status) => ({ status })),
     )}
     cross join lateral ${define(listed, ofBoth, query)}
     ${newestFirst(listed)} limit ${query.limit + 1}`;
}
