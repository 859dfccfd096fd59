import type { Tenant } from '../domain/tenant.js';
import { Chain } from '../offers/chain.entity.js';
import { Deposit } from '../payments/deposits/deposit.entity.js';
import { as } from '../platform/sql/as.js';
import { define, subselect } from '../platform/sql/relation.js';
import { sql, type SqlText } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { Withdrawal } from '../withdrawals/withdrawal.entity.js';
import { Account } from './account.entity.js';
import { Entry } from './entry.entity.js';
import { Pocket } from './pocket.entity.js';
import { Posting } from './posting.entity.js';

const pocket = table(Pocket);
const available = table(Account, 'available');
const held = table(Account, 'held');
const entry = table(Entry);
const posting = table(Posting);
const deposit = table(Deposit);
const withdrawal = table(Withdrawal);
const chain = table(Chain);

/** A place in a list: the id of the last item of the previous page, and the most items to read. */
export interface PageAfter {
  readonly after: string | null;
  readonly limit: number;
}

/** Reads one pocket of a tenant. */
export const findPocket = (tenant: Tenant, id: string) => pocketsOf(sql`${isOf(tenant)} and ${pocket.id} = ${id}`);

/** Reads a page of a tenant's pockets, the newest first. */
export function pocketPage(tenant: Tenant, { after, limit }: PageAfter) {
  const following = after === null ? sql`` : sql`and ${pocket.id} < ${after}`;
  return pocketsOf(sql`${isOf(tenant)} ${following} order by ${pocket.id} desc limit ${limit}`);
}

/**
 * Reads pockets. Pending money is the sum of deposits that were seen for the merchant's intents and are not final. The index
 * deposit_pending holds only these, so the cost does not grow with the merchant's history.
 */
export function pocketsOf(which: SqlText) {
  return sql`
    select ${out(pocket, 'id', 'merchantId', 'environment', 'network', 'token', 'tokenDecimals', 'minorUnitExponent', 'createdAt')},
           ${available.balance.asNotNull('available')}, ${held.balance.asNotNull('held')},
           (select coalesce(sum(${deposit.amount}), 0)
              from ${deposit} join ${chain} on ${chain.id} = ${deposit.chainRef}
             where ${deposit.status} = 'seen' and ${deposit.merchantId} = ${pocket.merchantId}
               and ${deposit.tokenContract} = ${pocket.tokenContract}
               and ${chain.environment} = ${pocket.environment} and ${chain.network} = ${pocket.network}) ${as.digits('pending')}
      from ${pocket} join ${available} on ${available.id} = ${pocket.availableAccountId}
                     join ${held} on ${held.id} = ${pocket.heldAccountId}
     where ${which}`;
}

const isOf = ({ merchantId, environment }: Tenant) =>
  sql`${pocket.merchantId} = ${merchantId} and ${pocket.environment} = ${environment}`;

const newestPostings = (pocketId: string, { after, limit }: PageAfter) => sql`
  select ${out(posting, 'id', 'entryId', 'amount')} from ${posting}
   where ${posting.accountId} = (select ${pocket.availableAccountId} from ${pocket} where ${pocket.id} = ${pocketId})
     ${after === null ? sql`` : sql`and ${posting.id} < ${after}`}
   order by ${posting.id} desc limit ${limit}`;
const newest = subselect('newest', newestPostings);

/**
 * Reads a page of the entries on a pocket's available balance, the newest first, before a posting. The page is cut before
 * the joins: the planner takes a pocket for an average one, and would read and sort all entries of a busy one.
 */
export function entryPage(pocketId: string, page: PageAfter) {
  // The id in an entry's reference, such as `deposit:dep_...` or `withdrawal:wd_...:refund`.
  const named = sql`split_part(${entry.reference}, ':', 2)`;
  return sql`
    select ${out(entry, 'id', 'kind', 'reference', 'createdAt')}, ${newest.amount.as('amount')},
           ${deposit.intentId.asOrNull('paymentIntentId')}, ${withdrawal.id.asOrNull('withdrawalId')}
      from ${define(newest, pocketId, page)}
      join ${entry} on ${entry.id} = ${newest.entryId}
      left join ${deposit} on ${deposit.id} = ${named}
      left join ${withdrawal} on ${withdrawal.id} = ${named}
     order by ${newest.id} desc`;
}

/** Finds the posting of an entry on a pocket's available balance. */
export const findPosting = (pocketId: string, entryId: string) => sql`
  select ${out(posting, 'id')} from ${pocket} join ${posting} on ${posting.accountId} = ${pocket.availableAccountId}
   where ${pocket.id} = ${pocketId} and ${posting.entryId} = ${entryId}`;
