import { MikroORM } from '@mikro-orm/postgresql';
import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, aPriceRound, freeAddresses } from '../../test/support/factories.js';
import { QueueRig } from '../../test/support/queue-rig.js';
import { ENTITIES } from '../entities.js';
import { NetworkViews } from '../networks/network-views.service.js';
import { parseConfig } from '../platform/config.js';
import { Database } from '../platform/database/database.js';
import { ormOptions } from '../platform/database/orm.config.js';
import type { QueueBackend } from '../platform/queue/queue-backend.js';
import { PricingService } from '../pricing/pricing.service.js';
import { VaultState } from '../wallets/vault-state.service.js';
import { WalletPool } from '../wallets/wallet-pool.service.js';
import { HealthService } from './health.service.js';

const QUEUE_DOWN = { status: 'down', detail: 'The job queue does not answer: work waits for the next sweep.' };

let db: TestDatabase;
let rig: QueueRig;
let vault: VaultState;

beforeEach(async () => {
  db = await freshDatabase();
  rig = await QueueRig.open({ databaseUrl: db.url, redisUrl: null });
  vault = new VaultState();
});
afterEach(async () => {
  await rig.close();
  await db.drop();
});

/** The health of a process with these roles. */
function healthOf(roles: string, { database = db.database, queue = rig.backend } = {}): HealthService {
  const [networks, pool] = [new NetworkViews(database), new WalletPool(database, rig.queue)];
  const config = parseConfig({ ROLES: roles });
  return new HealthService(database, networks, pool, vault, queue, config, new PricingService(database));
}

describe('readiness', () => {
  it('names each dependency, each chain and the pool', async () => {
    const { chainRef } = await aChain(db.database);
    await aPriceRound(db.database);
    await freeAddresses(db.database, 3);
    vault.isOpen = true;
    expect(await healthOf('api,vault').readiness()).toEqual({
      status: 'ready',
      dependencies: { database: { status: 'ok' }, queue: { status: 'ok' }, vault: { status: 'ok' } },
      chains: [{ chain: chainRef, status: 'ok', lag_seconds: expect.any(Number), lag_blocks: 0, can_collect: true }],
      prices: [{ environment: 'sandbox', status: 'ok', age_seconds: expect.any(Number), missing: [] }],
      wallet_pool: [{ environment: 'sandbox', family: 'evm', free: 3 }],
      can_collect: true,
    });
  });

  it('is kept while prices are missing or old, which are named: everything but new addresses goes on', async () => {
    await aChain(db.database);
    const prices = async () => {
      const { status, prices: told } = await healthOf('api').readiness();
      return { status, told };
    };
    const sandbox = { environment: 'sandbox', age_seconds: expect.any(Number) };
    expect(await prices()).toEqual({
      status: 'ready',
      told: [{ environment: 'sandbox', status: 'unavailable', age_seconds: null, missing: [] }],
    });
    const id = await aPriceRound(db.database, { USDC: '1' });
    await db.database.query(`update price_round set prices = prices || '{"ETH": {"price": null, "sources": []}}'`);
    expect((await prices()).told).toEqual([{ ...sandbox, status: 'partial', missing: ['ETH'] }]);
    await db.database.query(`update price_round set created_at = now() - interval '61 seconds' where id = $1`, [id]);
    expect((await prices()).told).toEqual([{ ...sandbox, status: 'unavailable', missing: ['ETH'] }]);
  });

  it('goes on collecting on the other chains while one is down, and says why that one does not', async () => {
    const fine = await aChain(db.database);
    const halted = await aChain(db.database, { network: 'bnb' });
    const doubtful = await aChain(db.database, { network: 'ethereum' });
    await aPriceRound(db.database);
    await freeAddresses(db.database, 3);
    const update = (column: string, chainRef: string) =>
      db.database.query(`update chain_cursor set ${column} = 'http://node:1 lies' where chain_ref = $1`, [chainRef]);
    await update('halted_reason', halted.chainRef);
    await update('finality_doubt', doubtful.chainRef);
    const { chains, can_collect: canCollect } = await healthOf('api').readiness();
    expect(chains).toMatchObject([
      { chain: fine.chainRef, status: 'ok', can_collect: true },
      { chain: halted.chainRef, status: 'disabled', can_collect: false, reason: expect.any(String) },
      { chain: doubtful.chainRef, status: 'degraded', can_collect: true, reason: expect.stringContaining('disagree') },
    ]);
    expect(canCollect).toBe(true);
    expect(JSON.stringify(chains)).not.toContain('http://node:1');
  });

  it('speaks of the vault only where one is to be opened', async () => {
    expect((await healthOf('api,worker').readiness()).dependencies).toEqual({
      database: { status: 'ok' },
      queue: { status: 'ok' },
    });
    expect(await healthOf('vault').readiness()).toMatchObject({
      status: 'ready',
      dependencies: { vault: { status: 'down', detail: 'The vault is sealed: no new addresses are derived.' } },
    });
  });

  it('is kept without a queue, since sweeps find the work: it is only named', async () => {
    await rig.close();
    expect(await healthOf('api').readiness()).toMatchObject({
      status: 'ready',
      dependencies: { database: { status: 'ok' }, queue: QUEUE_DOWN },
    });
  });

  it('is told within 2 s of a queue that never answers', async () => {
    const silent: QueueBackend = { ...rig.backend, ping: () => new Promise(() => undefined) };
    const startedMs = performance.now();
    const readiness = await healthOf('api', { queue: silent }).readiness();
    expect(readiness).toMatchObject({ status: 'ready', dependencies: { queue: QUEUE_DOWN } });
    expect(performance.now() - startedMs).toBeLessThan(3_000);
  });

  it('is lost with the database, and the other dependencies are named all the same', async () => {
    const absent = { url: 'postgres://postgres@127.0.0.1:1/none', poolMax: 1, entities: ENTITIES, migrations: [] };
    const orm = await MikroORM.init(ormOptions(absent));
    vault.isOpen = true;
    const readiness = await healthOf('api,vault', { database: new Database(orm) }).readiness();
    await orm.close(true);
    expect(readiness).toEqual({
      status: 'not_ready',
      dependencies: {
        database: { status: 'down', detail: 'The database does not answer.' },
        queue: { status: 'ok' },
        vault: { status: 'ok' },
      },
      chains: [],
      prices: [],
      wallet_pool: [],
      can_collect: false,
    });
  });
});
