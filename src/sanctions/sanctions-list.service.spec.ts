import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { readByGenericPlan } from '../../test/support/query-plan.js';
import { query } from '../../test/support/sql.js';
import { DomainError } from '../domain/errors.js';
import { readFirstList } from './first-list.js';
import { ensureFirstList, replaceList } from './list-writer.js';
import { compiled } from '../platform/sql/sql.js';
import { SanctionsList } from './sanctions-list.service.js';
import { findListing } from './screening.sql.js';

const TORNADO = '0x8589427373D6D84E98730D7795D8f6f8731FDA16';
const TRON = 'TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre';
const UNLISTED = '0x000000000000000000000000000000000000dEaD';

let db: TestDatabase;
let list: SanctionsList;
beforeEach(async () => {
  db = await freshDatabase();
  list = new SanctionsList(db.database);
});
afterEach(() => db.drop());

it('[I-120] finds a listed EVM address in any letter case, and others only letter by letter', async () => {
  await ensureFirstList(db.database);
  const em = db.database.em();
  const listing = { source: 'snapshot-2024-09-27', publishedOn: '2024-09-27', name: null };
  for (const spelling of [TORNADO, TORNADO.toLowerCase(), TORNADO.toUpperCase()]) {
    expect(await list.isListed(em, 'evm', spelling)).toEqual(listing);
  }
  expect(await list.isListed(em, 'evm', UNLISTED)).toBeNull();
  expect(await list.isListed(em, 'tron', TRON)).toEqual(listing);
  expect(await list.isListed(em, 'tron', TRON.toLowerCase())).toBeNull();
  expect(await list.isListed(em, 'evm', TRON)).toBeNull();
});

it('[I-120] sees at once that the list was updated, also within a transaction that has looked before', async () => {
  await ensureFirstList(db.database);
  const first = await readFirstList();
  const address = UNLISTED.toLowerCase();
  await db.database.transaction(async (tx) => {
    expect(await list.isListed(tx, 'evm', address)).toBeNull();
    await db.database.transaction((other) =>
      replaceList(other, {
        source: 'sdn_advanced',
        publishedOn: '2026-11-01',
        contentHash: 'a'.repeat(64),
        addresses: [...first.addresses.slice(1), { family: 'evm', key: address, name: 'Someone' }],
      }),
    );
    expect(await list.isListed(tx, 'evm', address)).toEqual({
      source: 'sdn_advanced',
      publishedOn: '2026-11-01',
      name: 'Someone',
    });
    const { family, key } = first.addresses[0] ?? { family: 'other', key: '' };
    if (family === 'other') throw new Error('The first address of the list should be one that is screened.');
    expect(await list.isListed(tx, family, key)).toBeNull();
  });
});

it('lets no address be paid while there is no list', async () => {
  const screened = list.isListed(db.database.em(), 'evm', TORNADO);
  await expect(screened).rejects.toMatchObject({ code: 'service_unavailable' });
  await expect(screened).rejects.toBeInstanceOf(DomainError);
  expect(await list.status()).toBeNull();
});

it('looks an address up by the index', async () => {
  await ensureFirstList(db.database);
  await query(db.owner, 'analyze sanctioned_address');
  const { text, values } = compiled(findListing('evm', TORNADO.toLowerCase()));
  const { scans, pages } = await readByGenericPlan(db.database, text, values);
  expect(scans).toContain('Index Scan on sanctioned_address by sanctioned_address_current');
  expect(pages).toBeLessThan(10);
});
