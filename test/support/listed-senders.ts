import { replaceList } from '../../src/sanctions/list-writer.js';
import { distinctAddresses } from '../../src/sanctions/published-list.js';
import type { Database } from '../../src/platform/database/database.js';
import { query } from './sql.js';

let lists = 0;

/** Imports a list that has exactly these addresses; returns the ids of their listings. */
export async function listExactly(database: Database, ...addresses: readonly string[]): Promise<string[]> {
  await database.transaction((tx) =>
    replaceList(
      tx,
      {
        source: 'test',
        publishedOn: '2026-01-01',
        contentHash: (++lists).toString(16).padStart(64, '0'),
        addresses: distinctAddresses(addresses.map((address) => ({ address, name: 'Lazarus Group' }))),
      },
      { force: true },
    ),
  );
  const rows = await query<{ id: string }>(
    database,
    `select id from sanctioned_address where removed_in is null and address_key = any($1) order by id`,
    [addresses.map((address) => address.toLowerCase())],
  );
  return rows.map(({ id }) => id);
}

/** Makes a deposit final that came from the sender of this listing, as the listener does. */
export async function confirmAsListed(database: Database, depositId: string, listingId: string): Promise<void> {
  await query(
    database,
    `update deposit set status = 'confirmed', confirmed_at = now(), listed_sender_id = $2 where id = $1`,
    [depositId, listingId],
  );
}
