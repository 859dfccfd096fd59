import type { Tenant } from '../domain/tenant.js';
import { WITHDRAWAL_STATUSES } from '../domain/withdrawal.js';
import { Conditions } from '../platform/database/conditions.js';
import type { SqlParameter } from '../platform/database/database.js';
import { NEWEST_FIRST, type TimeCursor, boundByTime } from '../platform/database/newest-first.js';
import type { ListWithdrawalsQuery } from './withdrawal.schema.js';

/** Every signed attempt counts, whichever of them was mined. */
const SIGNED_AS = `id = any(array(
  select sent.purpose_id from transaction_attempt attempt
    join chain_transaction sent on sent.id = attempt.transaction_id and sent.purpose = 'withdrawal'
    join chain on chain.id = sent.chain_ref and chain.family = ?
   where attempt.tx_hash = ?))`;

/** The statement for one page of the tenant's withdrawals, newest first, after the cursor. */
export function withdrawalPage(
  tenant: Tenant,
  query: ListWithdrawalsQuery,
  cursor: TimeCursor | null,
): { readonly text: string; readonly parameters: readonly SqlParameter[] } {
  const { reference, destination, tx_hash: hash } = query;
  const where = new Conditions().and('merchant_id = ? and environment = ?', tenant.merchantId, tenant.environment);
  boundByTime(where, query, cursor);
  if (reference !== undefined) where.and('reference = ?', reference);
  // A destination has the address family of its pocket.
  if (destination !== undefined) where.and('destination_key = ?', destination.key);
  if (hash !== undefined) where.and(SIGNED_AS, hash.family, hash.key);
  if ((reference ?? destination) !== undefined && hash === undefined) return pageByPocket(tenant, query, where);
  if (query.status !== undefined) where.and('status = ?', query.status);
  if (query.pocket_id !== undefined) where.and('pocket_id = ?', query.pocket_id);
  return {
    text: `select * from withdrawal where ${where.text} ${NEWEST_FIRST} limit ${where.place(query.limit + 1)}`,
    parameters: where.parameters,
  };
}

/**
 * A reference or a destination may match all withdrawals. So each pocket contributes its newest ones of each status, along
 * the indexes of both, and the page is the newest of these: a rare status costs the same as a common one.
 */
function pageByPocket({ merchantId, environment }: Tenant, query: ListWithdrawalsQuery, where: Conditions) {
  const owner = `merchant_id = ${where.place(merchantId)} and environment = ${where.place(environment)}`;
  const pocket = query.pocket_id === undefined ? '' : ` and id = ${where.place(query.pocket_id)}`;
  const statuses = where.place(query.status === undefined ? WITHDRAWAL_STATUSES : [query.status]);
  const page = `${NEWEST_FIRST} limit ${where.place(query.limit + 1)}`;
  const text = `
    select withdrawal.*
      from (select id from pocket where ${owner}${pocket}) of_pocket
     cross join unnest(${statuses}::text[]) of_status (name)
     cross join lateral (
       select * from withdrawal
        where pocket_id = of_pocket.id and status = of_status.name and ${where.text} ${page}) withdrawal
     ${page}`;
  return { text, parameters: where.parameters };
}
