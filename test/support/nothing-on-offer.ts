import type { Tenant } from '../../src/domain/tenant.js';
import type { TestDatabase } from './database.js';
import { aMerchant } from './factories.js';
import { query } from './sql.js';

/** Makes a merchant in a database that offers nothing any more: no chain, no price, no free address. */
export async function nothingOnOffer({ database, owner }: TestDatabase): Promise<Tenant> {
  await query(database, `update chain set active = false`);
  await query(owner, `update price_round set created_at = now() - interval '1 day'`);
  await query(database, `update pool_address set retired_at = now()`);
  return aMerchant(database);
}
