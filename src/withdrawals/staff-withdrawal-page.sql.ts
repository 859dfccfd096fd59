import { Merchant } from '../auth/merchant.entity.js';
import type { Environment } from '../domain/network.js';
import type { Standing } from '../domain/outgoing-payment.js';
import { type StaffStep, WITHDRAWAL_STATUSES, type WithdrawalStatus } from '../domain/withdrawal.js';
import { Pocket } from '../ledger/pocket.entity.js';
import { as } from '../platform/sql/as.js';
import { given, unnest } from '../platform/sql/given.js';
import { newestFirst, type TimeCursor, withinTime } from '../platform/sql/newest-first.js';
import { all, define, subselect } from '../platform/sql/relation.js';
import { join, literal, sql, type SqlText } from '../platform/sql/sql.js';
import { every, out, table } from '../platform/sql/table.js';
import { standingOf } from '../treasury/transactions/payment-standing.sql.js';
import { needsApproval, staffStep } from './staff-steps.sql.js';
import type { StaffWithdrawalFilter } from './staff-withdrawal.schema.js';
import { Withdrawal } from './withdrawal.entity.js';

const withdrawal = table(Withdrawal);
const merchant = table(Merchant);
const pocket = table(Pocket);
const ofStatus = given('of_status', { status: 'text' });

/** A page to read: the place before it, and the most rows. */
interface Bounds {
  readonly cursor: TimeCursor | null;
  readonly rows: number;
}

/** One walk along an index: the withdrawals of a merchant or of a pocket, in one status where the index begins with it. */
interface Walks {
  readonly areOfPockets: boolean;
  readonly statuses: readonly WithdrawalStatus[] | null;
}

/** Columns or values. */
interface Owner {
  readonly merchantId: SqlText;
  readonly pocketId: SqlText;
}

/** Finds the name of a merchant. */
export const findMerchantName = (id: string) => sql`
  select ${out(merchant, 'name')} from ${merchant} where ${merchant.id} = ${id}`;

/** Finds the place of a withdrawal in the list of its environment. */
export const findStaffPlace = (environment: Environment, id: string) => sql`
  select ${out(withdrawal, 'createdAt', 'id')} from ${withdrawal}
   where ${withdrawal.environment} = ${environment} and ${withdrawal.id} = ${id}`;

/**
 * Reads one page of the withdrawals of an environment that need an approval, newest first, along the index of those that are
 * not signed yet. A pocket has one of these at most.
 */
export function pageToApprove(environment: Environment, filter: StaffWithdrawalFilter, { cursor, rows }: Bounds) {
  const { status, merchant_id: merchantId, pocket_id: pocketId, network } = filter;
  const conditions = [
    needsApproval,
    sql`${withdrawal.environment} = ${environment}`,
    ...(status === undefined ? [] : [sql`${withdrawal.status} = ${status}`]),
    ...(merchantId === undefined ? [] : [sql`${withdrawal.merchantId} = ${merchantId}`]),
    ...(pocketId === undefined ? [] : [sql`${withdrawal.pocketId} = ${pocketId}`]),
    ...(network === undefined ? [] : [sql`${withdrawal.network} = ${network}`]),
    ...destinationOf(filter),
    ...withinTime(withdrawal, filter, cursor),
  ];
  return sql`
    select ${every(withdrawal)}, ${standingOf(withdrawal)} ${as.textOf<Standing>()('standing')},
           ${staffStep} ${as.textOfOrNull<StaffStep>()('waitsFor')}, ${merchant.name.as('merchantName')}
      from ${withdrawal} join ${merchant} on ${merchant.id} = ${withdrawal.merchantId}
     where ${join(conditions, ' and ')} ${newestFirst(withdrawal)} limit ${literal(rows)}`;
}

/**
 * Reads one page of the withdrawals of an environment, newest first. No index orders those of all merchants: each merchant's
 * are walked along its own, and each pocket's where a filter names what a pocket has. First only the newest of each walk is
 * read; those walks with the newest ones are read on, and no other walk can have a row of the page.
 */
export function staffWithdrawalPage(environment: Environment, filter: StaffWithdrawalFilter, { cursor, rows }: Bounds) {
  const walks = walksOf(filter);
  const owner = ownerOf(filter);
  const limit = literal(rows);
  const conditions = [...destinationOf(filter), ...withinTime(withdrawal, filter, cursor)];
  const first = subselect(
    'first',
    sql`select ${out(withdrawal, 'createdAt', 'id')} from ${withdrawal}
         where ${join([...isOf(environment, walks, owner(merchant.id, pocket.id), ofStatus.status), ...conditions], ' and ')}
         ${newestFirst(withdrawal)} limit 1`,
  );
  const walk = subselect(
    'walk',
    sql`select ${merchant.id.as('merchantId')}, ${merchant.name.as('merchantName')},
               ${walks.areOfPockets ? pocket.id : sql`null::text`} ${as.textOrNull('pocketId')},
               ${walks.statuses === null ? sql`null::text` : ofStatus.status} ${as.textOrNull('status')}
          from ${merchant} ${crossing(environment, walks)} cross join lateral ${define(first)}
         where ${join(placesOf(filter), ' and ')} ${newestFirst(first)} limit ${limit}`,
  );
  const listed = subselect(
    'listed',
    sql`select ${every(withdrawal)}, ${standingOf(withdrawal)} ${as.textOf<Standing>()('standing')},
               ${staffStep} ${as.textOfOrNull<StaffStep>()('waitsFor')}
          from ${withdrawal}
         where ${join([...isOf(environment, walks, owner(walk.merchantId, walk.pocketId), walk.status), ...conditions], ' and ')}
         ${newestFirst(withdrawal)} limit ${limit}`,
  );
  return sql`
    select ${all(listed)}, ${walk.merchantName.as('merchantName')}
      from ${define(walk)} cross join lateral ${define(listed)}
     ${newestFirst(listed)} limit ${limit}`;
}

/** The indexes of pockets have the destination and the status before the time. */
function walksOf({ network, pocket_id: pocketId, destination, status }: StaffWithdrawalFilter): Walks {
  const areOfPockets = [network, pocketId, destination].some((part) => part !== undefined);
  if (status !== undefined) return { areOfPockets, statuses: [status] };
  return { areOfPockets, statuses: destination === undefined ? null : WITHDRAWAL_STATUSES };
}

function crossing(environment: Environment, { areOfPockets, statuses }: Walks): SqlText {
  const parts: SqlText[] = [];
  if (areOfPockets) {
    parts.push(sql`join ${pocket} on ${pocket.merchantId} = ${merchant.id} and ${pocket.environment} = ${environment}`);
  }
  if (statuses !== null) {
    parts.push(
      sql`cross join ${unnest(
        ofStatus,
        statuses.map((status) => ({ status })),
      )}`,
    );
  }
  return join(parts, ' ');
}

const placesOf = (filter: StaffWithdrawalFilter): SqlText[] => [
  sql`true`,
  ...(filter.merchant_id === undefined ? [] : [sql`${merchant.id} = ${filter.merchant_id}`]),
  ...(filter.pocket_id === undefined ? [] : [sql`${pocket.id} = ${filter.pocket_id}`]),
  ...(filter.network === undefined ? [] : [sql`${pocket.network} = ${filter.network}`]),
];

/** Whose withdrawals a walk finds. A value where the filter has one: of a busy pocket the planner then knows that it is busy. */
function ownerOf({ merchant_id: merchantId, pocket_id: pocketId }: StaffWithdrawalFilter) {
  return (merchantColumn: SqlText, pocketColumn: SqlText): Owner => ({
    merchantId: merchantId === undefined ? merchantColumn : sql`${merchantId}`,
    pocketId: pocketId === undefined ? pocketColumn : sql`${pocketId}`,
  });
}

function isOf(environment: Environment, walks: Walks, { merchantId, pocketId }: Owner, status: SqlText): SqlText[] {
  return [
    ...(walks.areOfPockets
      ? [sql`${withdrawal.pocketId} = ${pocketId}`]
      : [sql`${withdrawal.merchantId} = ${merchantId}`, sql`${withdrawal.environment} = ${environment}`]),
    ...(walks.statuses === null ? [] : [sql`${withdrawal.status} = ${status}`]),
  ];
}

const destinationOf = ({ destination }: StaffWithdrawalFilter): SqlText[] =>
  destination === undefined ? [] : [sql`${withdrawal.destinationKey} = ${destination.key}`];
