import { INTENT_STATUSES } from '../../domain/intent-state.js';
import { ENVIRONMENTS, type Environment, NETWORKS } from '../../domain/network.js';
import { Conditions } from '../../platform/database/conditions.js';
import type { SqlParameter } from '../../platform/database/database.js';
import { NEWEST_FIRST, type TimeCursor, boundByTime } from '../../platform/database/newest-first.js';
import type { ListIntentsQuery } from './payment-intent.schema.js';

/** The tenant whose intents are listed; null stands for all, which only operators may ask for. */
export interface IntentScope {
  readonly merchantId: string | null;
  readonly environment: Environment | null;
}

/** Which intents to list; one more than `limit` is read. */
export type IntentFilter = ListIntentsQuery & { readonly id?: string | undefined };

/** An address of the pool belongs to at most one intent. */
const OF_ADDRESS = `id = any(array(select intent_id from pool_address where family = ? and address_key = ?))`;

/** The index of deposits begins with their chain, so every chain of the family is searched: there are few. */
const PAID_BY_TRANSACTION = `id = any(array(
  select deposit.intent_id from chain join deposit on deposit.chain_ref = chain.id and deposit.tx_hash = ?
   where chain.family = ? and deposit.intent_id is not null))`;

/** Returns the conditions that limit a statement to its scope. */
export function scopeOf({ merchantId, environment }: IntentScope): Conditions {
  const where = new Conditions();
  if (merchantId !== null) where.and('merchant_id = ?', merchantId);
  if (environment !== null) where.and('environment = ?', environment);
  return where;
}

/** Returns the statement for one page of intents, newest first, after the cursor. */
export function intentPage(
  scope: IntentScope,
  filter: IntentFilter,
  cursor: TimeCursor | null,
): { readonly text: string; readonly parameters: readonly SqlParameter[] } {
  const { id, reference, address, tx_hash: hash } = filter;
  const where = scopeOf(scope);
  boundByTime(where, filter, cursor);
  if (id !== undefined) where.and('id = ?', id);
  const isFew = (id ?? address ?? hash) !== undefined;
  // No index serves `is not distinct from`: the few intents are read by their ids, never all of a common reference.
  if (reference !== undefined) where.and(`reference ${isFew ? 'is not distinct from' : '='} ?`, reference);
  if (address !== undefined) where.and(OF_ADDRESS, address.family, address.key);
  if (hash !== undefined) where.and(PAID_BY_TRANSACTION, hash.key, hash.family);
  if (reference !== undefined && !isFew) return pageByReference(scope, filter, where);
  if (filter.status !== undefined) where.and('status = ?', filter.status);
  if (filter.network !== undefined) where.and('network = ?', filter.network);
  return {
    text: `select * from payment_intent where ${where.text} ${NEWEST_FIRST} limit ${where.place(filter.limit + 1)}`,
    parameters: where.parameters,
  };
}

/**
 * A reference may belong to a million intents, so each pair of network and status returns its own newest ones, along
 * the one index of references, and the page is the newest of these: a rare status costs as much as a common one.
 */
function pageByReference({ merchantId, environment }: IntentScope, filter: IntentFilter, where: Conditions) {
  const merchants = merchantId === null ? 'select id from merchant' : `select ${where.place(merchantId)}::text`;
  const environments = where.place(environment === null ? ENVIRONMENTS : [environment]);
  const networks = where.place(filter.network === undefined ? NETWORKS : [filter.network]);
  const statuses = where.place(filter.status === undefined ? INTENT_STATUSES : [filter.status]);
  const page = `${NEWEST_FIRST} limit ${where.place(filter.limit + 1)}`;
  const text = `
    select intent.*
      from (${merchants}) of_merchant (id)
     cross join unnest(${environments}::text[]) of_environment (name)
     cross join unnest(${networks}::text[]) of_network (name)
     cross join unnest(${statuses}::text[]) of_status (name)
     cross join lateral (
       select * from payment_intent
        where merchant_id = of_merchant.id and environment = of_environment.name
          and network = of_network.name and status = of_status.name and ${where.text} ${page}) intent
     ${page}`;
  return { text, parameters: where.parameters };
}
