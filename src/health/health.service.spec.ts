import { MikroORM } from '@mikro-orm/postgresql';
import { hotWalletCap } from '../../test/support/hot-wallet-cap.js';
import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, aPriceSnapshot, freeAddresses } from '../../test/support/factories.js';
import { QueueRig } from '../../test/support/queue-rig.js';
import { query } from '../../test/support/sql.js';
import { ENTITIES } from '../app/entities.js';
import { NetworkViews } from '../offers/network-views.service.js';
import { parseConfig } from '../platform/config.js';
import { Database } from '../platform/database/database.js';
import { ormOptions } from '../platform/database/orm.config.js';
import { createLogger } from '../platform/logging.js';
import type { QueueBackend } from '../platform/queue/queue-backend.js';
import { PricingService } from '../pricing/pricing.service.js';
import { RefundReader } from '../suspense/refunds/refund-reader.service.js';
import { SweepReader } from '../treasury/sweeps/sweep-reader.service.js';
import { HotWalletReader } from '../treasury/wallets/hot-wallet-reader.service.js';
import { VaultState } from '../vault-status/vault-state.service.js';
import { VaultHeartbeat } from '../vault-status/vault-heartbeat.service.js';
import { AddressPool } from '../payments/addresses/address-pool.service.js';
import { PayoutHealthReader } from '../withdrawals/payouts/payout-health-reader.service.js';
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

/** Returns the health service of a process with these roles. */
function healthOf(roles: string, { database = db.database, queue = rig.backend } = {}): HealthService {
  const [networks, pool] = [new NetworkViews(database), new AddressPool(database, rig.queue)];
  const config = parseConfig({ ROLES: roles });
  const payouts = new PayoutHealthReader(
    database,
    new VaultHeartbeat(database, vault, createLogger('silent')),
    new HotWalletReader(database),
    new SweepReader(database, hotWalletCap(database)),
    new RefundReader(database),
    config,
  );
  return new HealthService(database, networks, pool, vault, queue, config, new PricingService(database), payouts);
}

describe('readiness', () => {
  it('names each dependency, each chain and the pool', async () => {
    const { chainRef } = await aChain(db.database);
    await aPriceSnapshot(db.database);
    await freeAddresses(db.database, 3);
    vault.isOpen = true;
    expect(await healthOf('api,vault').readiness()).toEqual({
      status: 'ready',
      dependencies: { database: { status: 'ok' }, queue: { status: 'ok' }, vault: { status: 'ok' } },
      chains: [{ chain: chainRef, status: 'ok', lag_seconds: expect.any(Number), lag_blocks: 0, can_collect: true }],
      prices: [{ environment: 'sandbox', status: 'ok', age_seconds: expect.any(Number), missing: [] }],
      wallet_pool: [{ environment: 'sandbox', family: 'evm', free: 3 }],
      withdrawals: { status: 'ok', vault: 'open', reasons: [], waiting: 0, oldest_waiting_seconds: null },
      can_collect: true,
    });
  });

  it('stays ready while prices are missing or old, and names them: everything but new addresses works', async () => {
    await aChain(db.database);
    const prices = async () => {
      const { status, prices: states } = await healthOf('api').readiness();
      return { status, prices: states };
    };
    const sandbox = { environment: 'sandbox', age_seconds: expect.any(Number) };
    expect(await prices()).toEqual({
      status: 'ready',
      prices: [{ environment: 'sandbox', status: 'unavailable', age_seconds: null, missing: [] }],
    });
    const id = await aPriceSnapshot(db.database, { USDC: '1' });
    await query(db.owner, `update price_round set prices = prices || '{"ETH": {"price": null, "sources": []}}'`);
    expect((await prices()).prices).toEqual([{ ...sandbox, status: 'partial', missing: ['ETH'] }]);
    await query(db.owner, `update price_round set created_at = now() - interval '61 seconds' where id = $1`, [id]);
    expect((await prices()).prices).toEqual([{ ...sandbox, status: 'unavailable', missing: ['ETH'] }]);
  });

  it('continues to collect on the other chains while one is down, and reports the reason for that one', async () => {
    const fine = await aChain(db.database);
    const halted = await aChain(db.database, { network: 'bnb' });
    const doubtful = await aChain(db.database, { network: 'ethereum' });
    await aPriceSnapshot(db.database);
    await freeAddresses(db.database, 3);
    const update = (column: string, chainRef: string) =>
      db.query(`update chain_cursor set ${column} = 'http://node:1 lies' where chain_ref = $1`, [chainRef]);
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

  it('names the vault only in a process with the vault role', async () => {
    expect((await healthOf('api,worker').readiness()).dependencies).toEqual({
      database: { status: 'ok' },
      queue: { status: 'ok' },
    });
    expect(await healthOf('vault').readiness()).toMatchObject({
      status: 'ready',
      dependencies: {
        vault: { status: 'down', detail: 'The vault is sealed: no new addresses are derived, and withdrawals wait.' },
      },
    });
  });

  it('stays ready while nothing can be paid out, and reports the reason: withdrawals are accepted and wait [L-154]', async () => {
    const { chainRef } = await aChain(db.database);
    await db.query(
      `insert into hot_wallet (chain_ref, address, address_key, derivation_path, frozen_reason)
       values ($1, '0xA', '0xa', 'm', 'http://node:1 lies')`,
      [chainRef],
    );
    const paysOut = async () => {
      const { status, withdrawals } = await healthOf('api').readiness();
      expect(status).toBe('ready');
      return withdrawals;
    };
    const frozen = `${chainRef}: Signing is frozen: withdrawals wait.`;
    expect(await paysOut()).toEqual({
      status: 'degraded',
      vault: 'sealed',
      reasons: ['No process holds an open vault: withdrawals wait.', frozen],
      waiting: 0,
      oldest_waiting_seconds: null,
    });
    // Another process opens its vault, and later ends.
    await db.query(`insert into vault_presence (id, seen_at) values (1, now())`);
    expect(await paysOut()).toMatchObject({ vault: 'open', reasons: [frozen] });
    await db.query(`update vault_presence set seen_at = now() - interval '10 seconds'`);
    expect(await paysOut()).toMatchObject({ vault: 'sealed' });
  });

  it('counts withdrawals that wait for an approval, and is not degraded however long that takes [I-124]', async () => {
    vault.isOpen = true;
    await db.owner.transaction(async (tx) => {
      await query(tx, `set local session_replication_role = replica`);
      await query(
        tx,
        `insert into withdrawal (id, merchant_id, environment, pocket_id, chain_ref, network, token, token_contract,
           token_decimals, minor_unit_exponent, amount_cents, amount, network_fee_cents, fee_amount, destination,
           destination_key, fee_strategy, status, waiting_reason, created_at, updated_at)
         select 'wd_' || reason, 'm', 'live', reason, 'c', 'polygon', 'USDC', '0x', 6, 2, 1, 1, 1, 1, '0x', '0x',
                'standard', 'broadcasting', reason, now() - hours * interval '1 hour', now()
           from (values ('approval_missing', 5), ('new_destination', 4), ('gas_missing', 1)) waits (reason, hours)`,
      );
    });
    const { withdrawals } = await healthOf('api,vault').readiness();
    expect(withdrawals).toMatchObject({
      reasons: ['A withdrawal has been waiting for 60 minutes (gas_missing).'],
      waiting: 3,
      oldest_waiting_seconds: expect.closeTo(3_600, -2),
    });
  });

  it('stays ready without a queue, which it names, since sweeps find the work', async () => {
    await rig.close();
    expect(await healthOf('api').readiness()).toMatchObject({
      status: 'ready',
      dependencies: { database: { status: 'ok' }, queue: QUEUE_DOWN },
    });
  });

  it('is answered within 2 s while the queue never answers', async () => {
    const silent: QueueBackend = { ...rig.backend, ping: () => new Promise(() => undefined) };
    const startedMs = performance.now();
    const readiness = await healthOf('api', { queue: silent }).readiness();
    expect(readiness).toMatchObject({ status: 'ready', dependencies: { queue: QUEUE_DOWN } });
    expect(performance.now() - startedMs).toBeLessThan(3_000);
  });

  it('is not ready without the database, and still names the other dependencies', async () => {
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
      withdrawals: null,
      can_collect: false,
    });
  });
});
