import { Merchant } from '../auth/merchant.entity.js';
import type { Environment } from '../domain/network.js';
import { join, sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { Pocket } from './pocket.entity.js';
import { type PageAfter, pocketsOf } from './pocket-page.sql.js';
import type { StaffPocketFilter } from './staff-pocket.schema.js';

const pocket = table(Pocket);
const merchant = table(Merchant);

/** Reads one pocket of an environment. */
export const findStaffPocket = (environment: Environment, id: string) =>
  pocketsOf(sql`${pocket.environment} = ${environment} and ${pocket.id} = ${id}`);

/** Reads a page of the pockets of all merchants, the newest first. */
export function staffPocketPage(environment: Environment, filter: StaffPocketFilter, { after, limit }: PageAfter) {
  const where = [sql`${pocket.environment} = ${environment}`];
  if (filter.merchant_id !== undefined) where.push(sql`${pocket.merchantId} = ${filter.merchant_id}`);
  if (filter.network !== undefined) where.push(sql`${pocket.network} = ${filter.network}`);
  if (filter.token !== undefined) where.push(sql`${pocket.token} = ${filter.token}`);
  if (after !== null) where.push(sql`${pocket.id} < ${after}`);
  return pocketsOf(sql`${join(where, ' and ')} order by ${pocket.id} desc limit ${limit}`);
}

/** Reads the names of merchants. */
export const findMerchantNames = (ids: readonly string[]) => sql`
  select ${out(merchant, 'id', 'name')} from ${merchant} where ${merchant.id} = any(${ids})`;
