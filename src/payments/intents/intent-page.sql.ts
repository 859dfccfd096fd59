import { Merchant } from '../../auth/merchant.entity.js';
import { INTENT_STATUSES } from '../../domain/intent-state.js';
import { ENVIRONMENTS, type Environment, NETWORKS } from '../../domain/network.js';
import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { newestFirst, type TimeCursor, withinTime } from '../../platform/sql/newest-first.js';
import { all, define, subselect } from '../../platform/sql/relation.js';
import { join, sql, type SqlText } from '../../platform/sql/sql.js';
import { every, out, table } from '../../platform/sql/table.js';
import { PoolAddress } from '../addresses/pool-address.entity.js';
import { Deposit } from '../deposits/deposit.entity.js';
import { PaymentIntent } from './payment-intent.entity.js';
import type { ListIntentsQuery } from './payment-intent.schema.js';

const intent = table(PaymentIntent);
const address = table(PoolAddress, 'address');
const chain = table(Chain);
const deposit = table(Deposit);
const merchant = table(Merchant);
const ofEnvironment = given('of_environment', { environment: 'text' });
const ofNetwork = given('of_network', { network: 'text' });
const ofStatus = given('of_status', { status: 'text' });

/** The tenant whose intents are listed; null stands for all, which only operators may ask for. */
export interface IntentScope {
  readonly merchantId: string | null;
  readonly environment: Environment | null;
}

/** Which intents to list; one more than `limit` is read. */
export type IntentFilter = ListIntentsQuery & { readonly id?: string | undefined };

/** Finds the place of an intent of a scope in the list. */
export const findPlace = (scope: IntentScope, id: string) => sql`
  select ${out(intent, 'createdAt', 'id')} from ${intent}
   where ${join([...scopeOf(scope), sql`${intent.id} = ${id}`], ' and ')}`;

/** Reads one page of intents, newest first, after the cursor. */
export function intentPage(scope: IntentScope, filter: IntentFilter, cursor: TimeCursor | null) {
  const { id, reference, address: paidTo, tx_hash: hash } = filter;
  const where = [...scopeOf(scope), ...withinTime(intent, filter, cursor)];
  if (id !== undefined) where.push(sql`${intent.id} = ${id}`);
  const isFew = (id ?? paidTo ?? hash) !== undefined;
  // No index serves `is not distinct from`: the few intents are read by their ids, never all of a common reference.
  const isSame = isFew ? sql`is not distinct from` : sql`=`;
  if (reference !== undefined) where.push(sql`${intent.reference} ${isSame} ${reference}`);
  if (paidTo !== undefined) where.push(sql`${intent.id} = any(array(${ofAddress(paidTo)}))`);
  if (hash !== undefined) where.push(sql`${intent.id} = any(array(${paidBy(hash)}))`);
  if (reference !== undefined && !isFew) return pageByReference(scope, filter, where);
  if (filter.status !== undefined) where.push(sql`${intent.status} = ${filter.status}`);
  if (filter.network !== undefined) where.push(sql`${intent.network} = ${filter.network}`);
  return newest(where, filter);
}

/** Returns the conditions that limit a statement to its scope. */
function scopeOf({ merchantId, environment }: IntentScope): SqlText[] {
  const where: SqlText[] = [sql`true`];
  if (merchantId !== null) where.push(sql`${intent.merchantId} = ${merchantId}`);
  if (environment !== null) where.push(sql`${intent.environment} = ${environment}`);
  return where;
}

/** Selects the intent of an address: one of the pool belongs to at most one. */
const ofAddress = ({ family, key }: NonNullable<IntentFilter['address']>) => sql`
  select ${address.intentId} from ${address} where ${address.family} = ${family} and ${address.addressKey} = ${key}`;

/**
 * Selects the intents that a transaction paid. The index of deposits begins with their chain, so every chain of the family
 * is searched: there are few.
 */
const paidBy = ({ family, key }: NonNullable<IntentFilter['tx_hash']>) => sql`
  select ${deposit.intentId} from ${chain} join ${deposit} on ${deposit.chainRef} = ${chain.id} and ${deposit.txHash} = ${key}
   where ${chain.family} = ${family} and ${deposit.intentId} is not null`;

const newest = (where: readonly SqlText[], { limit }: IntentFilter) => sql`
  select ${every(intent)} from ${intent} where ${join(where, ' and ')} ${newestFirst(intent)} limit ${limit + 1}`;
const listed = subselect('listed', newest);

const merchantsOf = (id: string | null) =>
  id === null
    ? sql`select ${merchant.id.as('merchantId')} from ${merchant}`
    : sql`select ${id}::text ${as.text('merchantId')}`;
const ofMerchant = subselect('of_merchant', merchantsOf);

/**
 * A reference may belong to a million intents, so each pair of network and status returns its own newest ones, along
 * the one index of references, and the page is the newest of these: a rare status costs as much as a common one.
 */
function pageByReference(scope: IntentScope, filter: IntentFilter, where: readonly SqlText[]) {
  const environments = scope.environment === null ? ENVIRONMENTS : [scope.environment];
  const networks = filter.network === undefined ? NETWORKS : [filter.network];
  const statuses = filter.status === undefined ? INTENT_STATUSES : [filter.status];
  const ofPair = [
    sql`${intent.merchantId} = ${ofMerchant.merchantId}`,
    sql`${intent.environment} = ${ofEnvironment.environment}`,
    sql`${intent.network} = ${ofNetwork.network}`,
    sql`${intent.status} = ${ofStatus.status}`,
  ];
  return sql`
    select ${all(listed)}
      from ${define(ofMerchant, scope.merchantId)}
     cross join ${unnest(
       ofEnvironment,
       environments.map((environment) => ({ environment })),
     )}
     cross join ${unnest(
       ofNetwork,
       networks.map((network) => ({ network })),
     )}
     cross join ${unnest(
       ofStatus,
       statuses.map((status) => ({ status })),
     )}
     cross join lateral ${define(listed, [...ofPair, ...where], filter)}
     ${newestFirst(listed)} limit ${filter.limit + 1}`;
}
