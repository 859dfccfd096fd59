import { checksumEvmAddress } from '../../src/domain/evm-address.js';
import type { Tenant } from '../../src/domain/tenant.js';
import type { Database } from '../../src/platform/database/database.js';
import type { TestDatabase } from './database.js';
import { aChain, aMerchant, aPriceSnapshot, freeAddresses } from './factories.js';
import { query } from './sql.js';

/** Makes a merchant in a database that offers nothing any more: no chain, no price, no free address. */
export async function nothingOnOffer({ database, owner }: TestDatabase): Promise<Tenant> {
  await query(database, `update chain set active = false`);
  await query(owner, `update price_round set created_at = now() - interval '1 day'`);
  await query(database, `update pool_address set retired_at = now()`);
  return aMerchant(database);
}

/** Makes all that an intent needs: a chain, a price and some free addresses. */
export async function everythingOnOffer(database: Database, addresses = 2): Promise<void> {
  await aChain(database);
  await aPriceSnapshot(database);
  await freeAddresses(database, addresses, 'sandbox', checksumEvmAddress);
}
