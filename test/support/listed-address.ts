import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../../src/platform/database/database.js';
import { addressKeyIn } from '../../src/domain/address-form.js';
import type { AddressFamily } from '../../src/domain/network.js';
import { query } from './sql.js';

/** Puts an address on the current sanctions list. */
export async function listAddress(
  on: Database | EntityManager,
  address: string,
  family: AddressFamily = 'evm',
): Promise<void> {
  await query(
    on,
    `insert into sanctioned_address (family, address_key, added_in)
     select $1, $2, max(id) from sanctions_import`,
    [family, addressKeyIn(family, address)],
  );
}
