import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aMerchant, anIntentWithoutAddress } from '../../../test/support/factories.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { asIfRotten } from '../../../test/support/rotten-rows.js';
import { sqlRefusalOf } from '../../../test/support/sql-refusal.js';
import { query } from '../../../test/support/sql.js';
import { addressKeyIn } from '../../domain/address-form.js';
import { ADDRESS_FAMILIES, type AddressFamily } from '../../domain/network.js';
import type { Tenant } from '../../domain/tenant.js';
import { parseConfig } from '../../platform/config.js';
import type { Database } from '../../platform/database/database.js';
import { createLogger } from '../../platform/logging.js';
import { Metrics } from '../../platform/metrics.js';
import { hasErrorCode } from '../../platform/processes.js';
import { LocalVault } from '../../vault/local-vault.js';
import { createVaultFile } from '../../vault/vault-file.js';
import { SCRYPT_N } from '../../vault/vault-format.js';
import { AddressProof } from './address-proof.service.js';
import { ForeignVault, PoolFiller } from './pool-filler.service.js';
import { AddressPoolWatch } from './address-pool-watch.service.js';
import { AddressPool } from './address-pool.service.js';
import type { Pool } from './pool-addresses.sql.js';

const PASSPHRASE = 'correct horse battery staple';
const FOUND = 'A stored address differs from the one that the vault derives: it is never assigned.';
const FREE = 6;
const SANDBOX: Pool = { environment: 'sandbox', family: 'evm' };

interface PoolRow {
  id: string;
  derivation_index: number;
  derivation_path: string;
  address: string;
  address_key: string;
}

let directory: string;
let vault: LocalVault;
let db: TestDatabase;
let database: Database;
let tenant: Tenant;
let log: LogLines;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'coffer-proof-'));
  vault = await openVault('vault.json');
});
afterAll(async () => {
  await vault.close();
  await rm(directory, { recursive: true });
});
beforeEach(async () => {
  db = await freshDatabase();
  database = db.database;
  tenant = await aMerchant(database);
  log = new LogLines();
  await filler().refill(vault, [SANDBOX]);
});
afterEach(() => db.drop());

async function openVault(name: string): Promise<LocalVault> {
  const path = join(directory, name);
  await createVaultFile(path, PASSPHRASE, { scryptN: SCRYPT_N.min });
  return LocalVault.open(path, PASSPHRASE);
}

const filler = (target = FREE): PoolFiller =>
  new PoolFiller(database, parseConfig({ WALLET_POOL_TARGET: String(target) }), createLogger('silent'));

/** The service as it is in a vault that has just started. */
const newProof = (): AddressProof => new AddressProof(database, filler(), createLogger('info', { destination: log }));
const check = (pool = SANDBOX): Promise<void> => newProof().check(vault, [pool]);

const poolRows = (): Promise<PoolRow[]> =>
  query<PoolRow>(
    database,
    `select id, derivation_index, derivation_path, address, address_key from pool_address order by id`,
  );

const disproved = (): Promise<{ address_id: string; address: string; derived_address: string | null }[]> =>
  query(database, `select address_id, address, derived_address from disproved_address order by address_id`);

/** Every address that is handed out until there is none; nothing of it is kept. */
async function handedOut(family: AddressFamily): Promise<string[]> {
  const pool = new AddressPool(database, new RecordingQueue().queue);
  const given: string[] = [];
  const enough = new Error('rolled back');
  const handing = database.transaction(async (tx) => {
    given.length = 0;
    for (let n = 0; n < FREE; n++) given.push(await pool.assign(tx, tenant, family, await bareIntent()));
    throw enough;
  });
  const ended: unknown = await handing.catch((error: unknown) => error);
  if (ended !== enough && !hasErrorCode(ended, 'no_wallets_available')) throw ended;
  return given;
}

const bareIntent = (): Promise<string> => anIntentWithoutAddress(database, tenant);

const TEXTS = ['address', 'address_key', 'derivation_path'] as const;
const PRINTABLE = { from: 0x21, to: 0x7e };

/** A row of the pool with one byte of one field changed; null where that would be no text, or what it was. */
function flipped(row: PoolRow, field: number, place: number, mask: number): PoolRow | null {
  const name = TEXTS[field];
  if (name === undefined) return { ...row, derivation_index: row.derivation_index ^ (mask << (8 * (place % 4))) };
  const bytes = Buffer.from(row[name]);
  const at = place % bytes.length;
  const byte = bytes.readUInt8(at) ^ mask;
  if (byte < PRINTABLE.from || byte > PRINTABLE.to) return null;
  bytes.writeUInt8(byte, at);
  return { ...row, [name]: bytes.toString() };
}

const write = (row: PoolRow): Promise<void> =>
  asIfRotten(
    db.owner,
    `set derivation_index = $2, derivation_path = $3, address = $4, address_key = $5 where id = $1`,
    [row.id, row.derivation_index, row.derivation_path, row.address, row.address_key],
  );

describe('a stored address', () => {
  it.each(ADDRESS_FAMILIES)(
    'of %s of which any byte was changed is found, named and never handed out again [L-158]',
    async (family) => {
      await query(db.owner, `delete from pool_address`);
      await filler().refill(vault, [{ environment: 'sandbox', family }]);
      const pool = await poolRows();
      await query(db.owner, `create table kept_pool as select * from pool_address`);
      const isTrue = new Set(pool.map(({ address_key: key }) => key));
      const changes = fc.tuple(fc.nat(FREE - 1), fc.nat(TEXTS.length), fc.nat(63), fc.integer({ min: 1, max: 255 }));
      await fc.assert(
        fc.asyncProperty(changes, async ([place, ...change]) => {
          const row = pool[place];
          const rotten = row === undefined ? null : flipped(row, ...change);
          fc.pre(row !== undefined && rotten !== null);
          fc.pre(!pool.some(({ id, derivation_index: index }) => id !== row.id && index === rotten.derivation_index));
          await restore();
          await write(rotten);
          // It was not derived again yet: a row that contradicts itself is skipped all the same.
          expect(
            (await handedOut(family)).map((address) => addressKeyIn(family, address)).filter((key) => !isTrue.has(key)),
          ).toEqual([]);
          await check({ environment: 'sandbox', family });
          expect(await disproved()).toMatchObject([{ address_id: row.id, address: rotten.address }]);
          expect(log.named(FOUND).at(-1)).toMatchObject({ path: rotten.derivation_path, address: rotten.address });
          const others = pool.filter(({ id }) => id !== row.id).map(({ address }) => address);
          expect((await handedOut(family)).toSorted()).toEqual(others.toSorted());
        }),
        { numRuns: 15 },
      );
    },
  );

  it('that is an intent’s stays so, and is found by the walk over all [L-158]', async () => {
    const [first, second] = await poolRows();
    const intentId = await bareIntent();
    const pool = new AddressPool(database, new RecordingQueue().queue);
    await database.transaction((tx) => pool.assign(tx, tenant, 'evm', intentId));
    await asIfRotten(db.owner, `set derivation_path = 'm/0' where id = any($1)`, [[first?.id ?? '', second?.id ?? '']]);
    const proof = newProof();
    await proof.check(vault, [SANDBOX]);
    expect((await disproved()).map(({ address_id: id }) => id)).toEqual([first?.id, second?.id]);
    expect(log.named(FOUND)).toContainEqual(expect.objectContaining({ intentId, address: first?.address }));
    expect(await query(database, `select retired_at from pool_address where intent_id = $1`, [intentId])).toEqual([
      { retired_at: null },
    ]);
    // It is logged once, however often it is met.
    for (let n = 0; n < 5; n++) await proof.check(vault, [SANDBOX]);
    expect(log.named(FOUND)).toHaveLength(2);
  });

  it('is derived again wherever it is among many, and leaves none behind that is right [L-158]', async () => {
    await filler(130).refill(vault, [SANDBOX]);
    await check();
    expect(await disproved()).toEqual([]);
    await asIfRotten(db.owner, `set address_key = address_key || '0' where derivation_index in (49, 50, 99, 100, 129)`);
    await check();
    expect(await disproved()).toHaveLength(5);
    const metrics = new Metrics();
    await new AddressPoolWatch(database, new AddressPool(database, new RecordingQueue().queue), metrics).measure();
    const metric = await metrics.registry.getSingleMetric('coffer_wallet_pool_disproved_addresses')?.get();
    expect(metric?.values).toMatchObject([{ value: 5 }]);
  });

  it('is called wrong by no vault of another database', async () => {
    const other = await openVault('other.json');
    await expect(newProof().check(other, [SANDBOX])).rejects.toThrow(ForeignVault);
    await other.close();
    expect(await disproved()).toEqual([]);
  });

  it('that was retired is neither free again nor handed out, and what was found of it stays', async () => {
    await query(database, `update pool_address set retired_at = now()`);
    const intent = await bareIntent();
    for (const change of [`retired_at = null`, `intent_id = '${intent}', assigned_at = now()`]) {
      const statement = `update pool_address set ${change} where derivation_index = 0`;
      expect(await sqlRefusalOf(database, statement)).toContain('a retired address stays retired');
    }
    await asIfRotten(db.owner, `set retired_at = null, address = '0x' where derivation_index = 0`);
    await check();
    expect(await sqlRefusalOf(db.owner, `delete from disproved_address`)).toContain('append-only');
    expect(await sqlRefusalOf(db.owner, `truncate disproved_address`)).toContain('append-only');
  });
});

/** Brings the pool back to what it was, and forgets what was found. */
async function restore(): Promise<void> {
  await asIfRotten(
    db.owner,
    `set derivation_index = was.derivation_index, derivation_path = was.derivation_path, address = was.address,
         address_key = was.address_key, retired_at = null
       from kept_pool was where was.id = pool_address.id`,
  );
  await query(db.owner, `alter table disproved_address disable trigger user`);
  await query(db.owner, `delete from disproved_address`);
  await query(db.owner, `alter table disproved_address enable trigger user`);
}
