import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aMerchant, anIntentWithoutAddress, freeAddresses } from '../../../test/support/factories.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { sqlRefusalOf } from '../../../test/support/sql-refusal.js';
import { query } from '../../../test/support/sql.js';
import type { Tenant } from '../../domain/tenant.js';
import type { Database } from '../../platform/database/database.js';
import { AddressPool } from './address-pool.service.js';

let db: TestDatabase;
let database: Database;
let wakes: RecordingQueue;
let pool: AddressPool;
let tenant: Tenant;

beforeEach(async () => {
  db = await freshDatabase();
  database = db.database;
  wakes = new RecordingQueue();
  pool = new AddressPool(database, wakes.queue);
  tenant = await aMerchant(database);
});
afterEach(() => db.drop());

const bareIntent = (): Promise<string> => anIntentWithoutAddress(database, tenant);
const assignTo = (intentId: string, to: Tenant = tenant): Promise<string> =>
  database.transaction((tx) => pool.assign(tx, to, 'evm', intentId));
const assign = async (): Promise<string> => assignTo(await bareIntent());

describe('the address pool', () => {
  it('assigns 19 free addresses to 20 parallel callers: 19 distinct ones and one no_wallets_available [D-44] [spec 7]', async () => {
    const free = await freeAddresses(database, 19);
    const intents = await Promise.all(Array.from({ length: 20 }, bareIntent));
    const results = await Promise.allSettled(intents.map((id) => assignTo(id)));
    const given = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(given.toSorted()).toEqual(free.toSorted());
    const [refused, ...others] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).toMatchObject({ code: 'no_wallets_available', details: { retryAfterSeconds: 5 } });
    expect(others).toEqual([]);
  });

  it('returns an address to the pool when the transaction that took it fails', async () => {
    const [only] = await freeAddresses(database, 1);
    const intent = await bareIntent();
    const failing = database.transaction(async (tx) => {
      await pool.assign(tx, tenant, 'evm', intent);
      throw new Error('no quote');
    });
    await expect(failing).rejects.toThrow('no quote');
    expect(await assignTo(intent)).toBe(only);
  });

  it('separates environments and families, and assigns no retired address', async () => {
    await freeAddresses(database, 1, 'live');
    const [retired] = await freeAddresses(database, 1);
    await query(database, `update pool_address set retired_at = now() where address = $1`, [retired ?? null]);
    await expect(assign()).rejects.toMatchObject({ code: 'no_wallets_available' });
    expect(await pool.levels()).toEqual([{ environment: 'live', family: 'evm', free: 1 }]);
  });

  it('asks for a refill when it assigned one, and when it had none', async () => {
    await expect(assign()).rejects.toThrow();
    expect(await wakes.woken('wallets.refill')).toEqual([{}]);
    await freeAddresses(database, 1);
    await assign();
    expect(await wakes.woken('wallets.refill')).toHaveLength(2);
    await freeAddresses(database, 20);
    await Promise.all(Array.from({ length: 20 }, () => assign()));
    expect((await wakes.woken('wallets.refill')).length).toBeLessThan(22);
  });
});

describe('an address', () => {
  it.each([
    `update pool_address set intent_id = $1 where intent_id is not null`,
    `update pool_address set intent_id = null, assigned_at = null where intent_id is not null and $1::text is not null`,
    `delete from pool_address where intent_id is not null and $1::text is not null`,
  ])('that was assigned never changes hands: %s', async (statement) => {
    await freeAddresses(database, 1);
    await assign();
    expect(await sqlRefusalOf(db.owner, statement, [await bareIntent()])).toContain('never changes hands');
  });

  it.each([
    `environment = 'live'`,
    `family = 'tron'`,
    `derivation_index = derivation_index + 1000000`,
    `derivation_path = 'm/0'`,
    `address = '0x' || repeat('66', 20)`,
    `address_key = '0x' || repeat('66', 20)`,
  ])('that is free stays the one that was derived for its place: no statement sets %s [L-158]', async (change) => {
    await freeAddresses(database, 1);
    const statement = `update pool_address set ${change} where intent_id is null`;
    expect(await sqlRefusalOf(database, statement)).toContain('a pool address is immutable');
  });

  it('says the same twice: one that contradicts itself is not stored [L-158]', async () => {
    const row = `
      insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
      values ('live', 'evm', 999999, '', '0xAB', $1)`;
    expect(await sqlRefusalOf(database, row, ['0xac'])).toContain('pool_address_spelling_check');
    await query(database, row, ['0xab']);
  });

  it('is always unique, over environments and families too', async () => {
    const [address = ''] = await freeAddresses(database, 1);
    const twin = `
      insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
      values ('live', 'tron', 999999, '', $1, $1)`;
    expect(await sqlRefusalOf(database, twin, [address])).toContain('pool_address_address_key_key');
  });

  it('belongs to one intent, and an intent has one', async () => {
    await freeAddresses(database, 2);
    const intent = await bareIntent();
    await assignTo(intent);
    await expect(assignTo(intent)).rejects.toThrow('pool_address_intent_id_key');
  });

  it('is what the vault derived: it cannot be rewritten', async () => {
    await freeAddresses(database, 1);
    expect(await sqlRefusalOf(database, `update pool_address set address = '0x1'`)).toContain('immutable');
  });
});
