import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MikroORM } from '@mikro-orm/postgresql';
import { MIGRATIONS } from '../../migrations/list.js';
import { type TestDatabase, testDatabase } from '../../test/support/database.js';
import { LogLines } from '../../test/support/log-lines.js';
import { type Ordered, PayoutScene } from '../../test/support/payout-scene.js';
import { RecordingQueue } from '../../test/support/recording-queue.js';
import { vaultServices, type VaultServices } from '../../test/support/vault-services.js';
import { runCommand } from '../../test/support/cli-run.js';
import { ENTITIES } from '../app/entities.js';
import { Database } from '../platform/database/database.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../platform/database/embedded-postgres.js';
import { migrate } from '../../test/support/migrate.js';
import { query } from '../../test/support/sql.js';
import { ormOptions } from '../platform/database/orm.config.js';
import { postgresToolsFor } from '../platform/database/postgres-tools.js';
import { createLogger } from '../platform/logging.js';
import { DATABASE_IDENTITY } from './database-identity.js';
import { SigningFreeze } from '../withdrawals/payouts/signing-freeze.service.js';

// A primary whose standby lags, as real servers: the standby is a copy of its files, which begins a timeline of its own.

const SETTINGS = { fsync: 'off', full_page_writes: 'off' };
const PLACE = { environment: 'sandbox', network: 'polygon' } as const;
const ORDER = { actor: 'root@vault-1', reason: 'all is known' };
const copy = promisify(execFile);

let parent: string;
let dir: string;
let servers: EmbeddedPostgres[];
let orms: MikroORM[];
let log: LogLines;
let scene: PayoutScene;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'coffer-failover-'));
  await chmod(parent, 0o711);
  dir = join(parent, 'primary');
  [servers, orms, log] = [[], [], new LogLines()];
  const { url } = await serve(dir);
  await migrate(url, ENTITIES, MIGRATIONS);
  scene = await PayoutScene.open(await connected(url));
});
afterAll(async () => {
  await scene.close();
  await Promise.all(orms.map((orm) => orm.close(true)));
  await Promise.all(servers.map((server) => server.stop()));
  await rm(parent, { recursive: true, force: true });
});

async function serve(directory: string): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({
    dir: directory,
    preferredPort: 0,
    settings: SETTINGS,
    log: () => undefined,
  });
  servers.push(server);
  return server;
}

async function connected(url: string): Promise<TestDatabase> {
  const orm = await MikroORM.init(ormOptions({ url, poolMax: 4, entities: ENTITIES, migrations: [] }));
  orms.push(orm);
  const database = new Database(orm);
  return testDatabase({ url, ownerUrl: url, orm, database, owner: database, drop: () => orm.close(true) });
}

/** One vault process that stays up and is used on one server after the other. */
const servicesOn = ({ database }: TestDatabase): VaultServices =>
  vaultServices(database, new RecordingQueue().queue, createLogger('info', { destination: log }));

/** Promotes a standby: a copy of the primary's files at that moment. */
async function promoted(standby: string): Promise<TestDatabase> {
  const { url } = await serve(standby);
  const tools = await postgresToolsFor(standby);
  await tools.run('pg_ctl', ['promote', '-D', standby, '-s', '-w']);
  return connected(url);
}

it('a restart changes nothing; on a promoted standby that lags nothing is signed before an operator allows it [H-106]', async () => {
  const orders: Ordered[] = [];
  for (let n = 0; n < 4; n++) orders.push(await scene.order(await scene.merchant(), { minutesAgo: 9 - n }));
  const [first, waiting, missed, later] = orders as [Ordered, Ordered, Ordered, Ordered];
  await expect(servicesOn(scene.db).signer.sign(scene.vault, first.id)).resolves.toBeNull();
  await scene.countOnChain();

  // The standby has received this much when its connection fails.
  await scene.db.orm.close(true);
  await servers[0]?.stop();
  const standby = join(parent, 'standby');
  await copy('cp', ['-a', dir, standby]);
  await copyFile(`${dir}.password`, `${standby}.password`);
  await writeFile(join(standby, 'standby.signal'), '');

  // The primary continues after a restart and after a crash, and signs a payment that the standby never receives.
  const restarted = await connected((await serve(dir)).url);
  await servicesOn(restarted).databaseIdentity.check();
  await (await postgresToolsFor(dir)).run('pg_ctl', ['stop', '-D', dir, '-s', '-w', '-m', 'immediate']);
  const recovered = await connected((await serve(dir)).url);
  const primary = servicesOn(recovered);
  await primary.databaseIdentity.check();
  await expect(primary.signer.sign(scene.vault, missed.id)).resolves.toBeNull();

  const taken = await promoted(standby);
  const signer = servicesOn(taken).signer;
  await expect(signer.sign(scene.vault, waiting.id)).resolves.toBe('wallet_frozen');
  await expect(signer.sign(scene.vault, missed.id)).resolves.toBe('wallet_frozen');
  const [wallet] = await query<{ frozen_reason: string }>(
    taken.database,
    `select frozen_reason, chain_nonce, next_nonce from hot_wallet`,
  );
  expect(wallet).toMatchObject({ chain_nonce: null, next_nonce: '1' });
  const reason = wallet?.frozen_reason ?? '';
  expect(reason).toMatch(
    /^This hot wallet last signed on another database server or timeline \((\d+)\/1, now \1\/2\): a standby was promoted, or a backup/,
  );
  expect(await query(taken.database, `select actor, action, reason from audit_entry`)).toEqual([
    { actor: 'vault', action: 'signing.freeze', reason },
  ]);
  expect(log.named('Signing is frozen: the database is not the one that signed last.')).toMatchObject([
    { level: 'error', reason },
  ]);

  // Once detected, only an operator ends it.
  await taken.database.transaction((tx) => new SigningFreeze().unfreezeNetwork(tx, PLACE, ORDER, { unknown: [] }));
  await query(taken.database, `update hot_wallet set chain_nonce = next_nonce`);
  const after = servicesOn(taken);
  await after.databaseIdentity.check();
  await expect(after.signer.sign(scene.vault, later.id)).resolves.toBeNull();
});

describe('rows that lie in another server than the one on which their wallets signed', () => {
  let restored: PayoutScene;
  beforeEach(async () => {
    restored = await PayoutScene.open();
    await restored.addChain('ethereum');
    await query(restored.database, `update hot_wallet set database_identity = '7434/1'`);
  });
  afterEach(() => restored.close());
  const wallets = () =>
    query(
      restored.database,
      `select frozen_reason, chain_nonce is null as is_asked_anew, database_identity = ${DATABASE_IDENTITY} as is_known
         from hot_wallet order by chain_ref`,
    );

  it('stop all wallets at once, and once: whether anything is to be signed there or not', async () => {
    const { databaseIdentity } = servicesOn(restored.db);
    await databaseIdentity.check();
    const stopped = { frozen_reason: expect.stringContaining('restored into another server'), is_asked_anew: true };
    expect(await wallets()).toEqual([
      { ...stopped, is_known: true },
      { ...stopped, is_known: true },
    ]);
    await databaseIdentity.check();
    expect(await query(restored.database, `select from audit_entry`)).toHaveLength(2);
  });

  it('are no news to the vault after treasury restored', async () => {
    const why = ['--reason', 'restored to 03:00'];
    await runCommand(['treasury', 'restored', ...why], { DATABASE_URL: restored.db.url });
    const { databaseIdentity } = servicesOn(restored.db);
    await databaseIdentity.check();
    const known = { frozen_reason: 'restored to 03:00', is_asked_anew: true, is_known: true };
    expect(await wallets()).toEqual([known, known]);
  });

  it('are nowhere else to a server that cannot say which it is', async () => {
    const answer = await restored.db.owner.transaction(async (tx) => {
      await query(
        tx,
        `create function public.pg_current_wal_lsn() returns pg_lsn language plpgsql as $$
         begin raise feature_not_supported; end $$`,
      );
      await query(tx, `set local search_path = public, pg_catalog`);
      const [row] = await query<{ identity: string }>(tx, `select ${DATABASE_IDENTITY} as identity`);
      return row?.identity;
    });
    expect(answer).toBe('shared storage');
  });

  it('are found by a role without any rights', async () => {
    const role = `limited_${process.pid}`;
    const answer = await restored.db.owner.transaction(async (tx) => {
      await query(tx, `create role ${role}`);
      await query(tx, `set local role ${role}`);
      const [row] = await query<{ identity: string }>(tx, `select ${DATABASE_IDENTITY} as identity`);
      await query(tx, `reset role`);
      await query(tx, `drop role ${role}`);
      return row?.identity;
    });
    expect(answer).toMatch(/^\d+\/1$/);
  });
});
