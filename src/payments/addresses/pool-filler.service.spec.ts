import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asIfRotten } from '../../../test/support/rotten-rows.js';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { query } from '../../../test/support/sql.js';
import { addressKeyOf } from '../../domain/address-form.js';
import { ADDRESS_FAMILIES } from '../../domain/network.js';
import { parseConfig } from '../../platform/config.js';
import type { Database } from '../../platform/database/database.js';
import { createLogger } from '../../platform/logging.js';
import { LocalVault } from '../../vault/local-vault.js';
import { createVaultFile } from '../../vault/vault-file.js';
import { SCRYPT_N } from '../../vault/vault-format.js';
import type { Pool } from './pool-addresses.sql.js';
import { ForeignVault, PoolFiller } from './pool-filler.service.js';

const PASSPHRASE = 'correct horse battery staple';
const SANDBOX: Pool = { environment: 'sandbox', family: 'evm' };
const LIVE: Pool = { environment: 'live', family: 'evm' };

let directory: string;
let vault: LocalVault;
let otherVault: LocalVault;
let db: TestDatabase;
let database: Database;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'coffer-filler-'));
  [vault, otherVault] = [await newVault('vault.json'), await newVault('other-vault.json')];
});
afterAll(async () => {
  await Promise.all([vault.close(), otherVault.close()]);
  await rm(directory, { recursive: true });
});
beforeEach(async () => {
  db = await freshDatabase();
  database = db.database;
});
afterEach(() => db.drop());

async function newVault(name: string): Promise<LocalVault> {
  const path = join(directory, name);
  await createVaultFile(path, PASSPHRASE, { scryptN: SCRYPT_N.min });
  return LocalVault.open(path, PASSPHRASE);
}

const fillerWith = (target: number): PoolFiller =>
  new PoolFiller(database, parseConfig({ WALLET_POOL_TARGET: String(target) }), createLogger('silent'));

interface PoolRow {
  environment: string;
  derivation_index: number;
  derivation_path: string;
  address: string;
  address_key: string;
}

const rows = (): Promise<PoolRow[]> =>
  query(
    database,
    `select environment, derivation_index, derivation_path, address, address_key from pool_address order by id`,
  );

/** Takes the first `count` free addresses off the pool. */
const retire = (count: number): Promise<unknown> =>
  query(
    database,
    `update pool_address set retired_at = now()
      where id in (select id from pool_address where retired_at is null order by id limit $1)`,
    [count],
  );

describe('filling the pool', () => {
  it('gives each family some addresses before it fills one: no network waits for the others', async () => {
    const families = ['solana', 'tron'] as const;
    await fillerWith(300).refill(
      vault,
      families.map((family) => ({ environment: 'sandbox', family })),
    );
    const stored = await query<{ family: string }>(database, `select family from pool_address order by id`);
    expect(stored.map(({ family }) => family)).toEqual(
      [200, 100].flatMap((count) => families.flatMap((family) => Array<string>(count).fill(family))),
    );
  });

  it('stores what the vault derives, in the order of its indexes', async () => {
    await fillerWith(5).refill(vault, [SANDBOX]);
    const stored = await rows();
    expect(stored.map((row) => row.derivation_index)).toEqual([0, 1, 2, 3, 4]);
    const derived = await vault.deriveAddresses('sandbox', 'evm', 0, 5);
    expect(stored.map((row) => [row.derivation_path, row.address, row.address_key])).toEqual(
      derived.map(({ path, address, addressKey }) => [path, address, addressKey]),
    );
  });

  it('goes to the target over several batches', async () => {
    await fillerWith(450).refill(vault, [SANDBOX]);
    expect(await rows()).toHaveLength(450);
  });

  it('keeps the environments apart: each has a seed and a pool of its own', async () => {
    await fillerWith(2).refill(vault, [SANDBOX, LIVE]);
    const stored = await rows();
    expect(stored.map((row) => row.environment)).toEqual(['sandbox', 'sandbox', 'live', 'live']);
    expect(new Set(stored.map((row) => row.address_key)).size).toBe(4);
  });

  it('keeps the families apart: each derives by its own path, and stores its addresses as they are written', async () => {
    const pools = ADDRESS_FAMILIES.map((family): Pool => ({ environment: 'sandbox', family }));
    await fillerWith(2).refill(vault, pools);
    const stored = await rows();
    expect(stored.map((row) => row.derivation_path)).toEqual([
      "m/44'/60'/0'/0/0",
      "m/44'/60'/0'/0/1",
      "m/44'/501'/0'/0'",
      "m/44'/501'/1'/0'",
      "m/44'/195'/0'/0/0",
      "m/44'/195'/0'/0/1",
    ]);
    expect(stored.map(({ address }) => addressKeyOf(address))).toEqual(
      stored.map(({ address_key: key }, n) => ({ family: ADDRESS_FAMILIES[Math.floor(n / 2)], key })),
    );
    expect(stored.slice(2).map((row) => row.address_key)).toEqual(stored.slice(2).map((row) => row.address));
  });

  it('waits until a quarter is used, and continues where it ended, never with an index again', async () => {
    const filler = fillerWith(8);
    await filler.refill(vault, [SANDBOX]);
    await retire(2);
    await filler.refill(vault, [SANDBOX]);
    expect(await rows()).toHaveLength(8);
    await retire(1);
    await filler.refill(vault, [SANDBOX]);
    expect((await rows()).map((row) => row.derivation_index)).toEqual([...Array(11).keys()]);
  });

  it('adds nothing to addresses of another vault, and says which it compared [L-158]', async () => {
    await fillerWith(3).refill(vault, [SANDBOX]);
    const [first] = await rows();
    const filling = fillerWith(6).refill(otherVault, [LIVE, SANDBOX]);
    await expect(filling).rejects.toThrow(ForeignVault);
    await expect(filling).rejects.toThrow(`at m/44'/60'/0'/0/0 the database holds ${first?.address}`);
    expect(await rows()).toHaveLength(3);
  });

  it('continues beside an address that was changed, also the first of all: it takes more to be another vault [L-158]', async () => {
    await fillerWith(3).refill(vault, [SANDBOX]);
    await asIfRotten(db.owner, `set address = '0x00', address_key = '0x00' where derivation_index = 0`);
    await asIfRotten(db.owner, `set derivation_index = 5 where derivation_index = 2`);
    await fillerWith(8).refill(vault, [SANDBOX]);
    expect((await rows()).map((row) => row.derivation_index)).toEqual([0, 1, 5, 6, 7, 8, 9, 10]);
    await query(
      database,
      `insert into disproved_address (address_id, derivation_index, derivation_path, address, address_key)
       select id, 10, '', '', '' from pool_address where derivation_index >= 5`,
    );
    await retire(8);
    // The indexes from 2 on are tried again: those that are taken are left out, as is what another row holds.
    await fillerWith(1).refill(vault, [SANDBOX]);
    expect((await rows()).slice(8).map((row) => row.derivation_index)).toEqual([3]);
  });

  it('stores nothing of a batch that PostgreSQL returns otherwise than it was derived [L-158]', async () => {
    await query(
      db.owner,
      `
      create function twist() returns trigger language plpgsql as $$
      begin
        new.address := translate(new.address, '0123456789', '0246813579');
        new.address_key := lower(new.address);
        return new;
      end $$`,
    );
    await query(
      db.owner,
      `
      create trigger twist before insert on pool_address for each row
        when (new.derivation_index = 3) execute function twist()`,
    );
    await expect(fillerWith(5).refill(vault, [SANDBOX])).rejects.toThrow('and stored as another');
    expect(await rows()).toEqual([]);
  });

  it('compares even when the pool is full, and once is enough', async () => {
    await fillerWith(3).refill(vault, [SANDBOX]);
    await expect(fillerWith(3).refill(otherVault, [SANDBOX])).rejects.toThrow(ForeignVault);
    const filler = fillerWith(3);
    await filler.refill(vault, [SANDBOX]);
    const stopped = await newVault('stopped-vault.json');
    await stopped.close();
    await filler.refill(stopped, [SANDBOX]);
  });

  it('never fills a pool whose target is zero', async () => {
    await fillerWith(0).refill(vault, [SANDBOX]);
    expect(await rows()).toEqual([]);
  });

  it('fills once when it is asked many times, by several processes too', async () => {
    const fillers = [fillerWith(300), fillerWith(300)];
    await Promise.all(fillers.flatMap((filler) => [1, 2, 3].map(() => filler.refill(vault, [SANDBOX]))));
    const indexes = (await rows()).map((row) => row.derivation_index);
    expect(indexes).toEqual([...Array(indexes.length).keys()]);
    expect(indexes.length).toBeGreaterThanOrEqual(300);
    // Two processes may each add a batch beyond the target, not a pool.
    expect(indexes.length).toBeLessThanOrEqual(500);
  });
});
