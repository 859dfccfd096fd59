import { Merchant } from '../../auth/merchant.entity.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';

const merchant = table(Merchant);

/** Finds the names of merchants. */
export const merchantNames = (ids: readonly string[]) => sql`
  select ${out(merchant, 'id', 'name')} from ${merchant} where ${merchant.id} = any(${ids})`;

/** Finds two merchants, enough to see whether there is only one. */
export const twoMerchants = sql`select ${out(merchant, 'id')} from ${merchant} order by ${merchant.id} limit 2`;
