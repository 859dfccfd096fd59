import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain } from '../../test/support/factories.js';
import { withPoolOf } from '../../test/support/small-pool.js';
import { query } from '../../test/support/sql.js';
import type { Database } from '../platform/database/database.js';
import { type ChainView, isAvailable, NetworkViews, statusOf, troubleOf } from './network-views.service.js';

const VIEW: ChainView = {
  chainRef: 'sandbox-polygon-31337-aaaaaaaa',
  environment: 'sandbox',
  network: 'polygon',
  chainId: '31337',
  confirmations: 3,
  headHeight: 100,
  height: 100,
  finalizedHeight: 97,
  finalityDoubt: null,
  lagMs: 0,
  haltedReason: null,
  pausedAt: null,
  tokens: [{ symbol: 'USDC', contract: '0x1', decimals: 6, minorUnitExponent: 2, enabled: true, minimumAmount: null }],
};

describe('the status of a network', () => {
  it.each<[what: string, change: Partial<ChainView>, status: string, available: boolean]>([
    ['in sync with its head', {}, 'ok', true],
    ['30 s behind', { lagMs: 30_000 }, 'ok', true],
    ['more than 30 s behind', { lagMs: 30_001 }, 'degraded', true],
    ['five minutes behind', { lagMs: 300_000 }, 'degraded', true],
    ['more than five minutes behind', { lagMs: 300_001 }, 'degraded', false],
    ['38 blocks beyond finality [F-78]', { finalizedHeight: 62 }, 'ok', true],
    ['39 blocks beyond finality [F-78]', { finalizedHeight: 61 }, 'degraded', true],
    ['whose nodes disagree on what is final [F-75]', { finalityDoubt: 'a is not b' }, 'degraded', true],
    ['halted', { haltedReason: 'reorg beyond finality' }, 'disabled', false],
    ['paused by staff', { pausedAt: '2026-11-29 10:00:00+00' }, 'disabled', false],
    ['without a token on offer', { tokens: [] }, 'disabled', false],
    ['whose tokens are all off', { tokens: VIEW.tokens.map((t) => ({ ...t, enabled: false })) }, 'disabled', false],
  ])('that is %s [api]', (_what, change, status, available) => {
    const view = { ...VIEW, ...change };
    expect([statusOf(view), isAvailable(view)]).toEqual([status, available]);
    expect(troubleOf(view) === null).toBe(status === 'ok');
    // Merchants do not see which nodes we use.
    expect(JSON.stringify(troubleOf(view))).not.toContain('a is not b');
  });
});

describe('the view of the chains', () => {
  let db: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    db = await freshDatabase();
    database = db.database;
  });
  afterEach(() => db.drop());

  it('shows active chains with their tokens and how far they are read, each environment its own', async () => {
    const sandbox = await aChain(database, { height: 42 });
    await aChain(database, { environment: 'live' });
    const retired = await aChain(database, { network: 'bnb' });
    await query(database, `update chain set active = false where id = $1`, [retired.chainRef]);
    const views = new NetworkViews(database);
    expect((await views.all()).map((view) => view.environment).toSorted()).toEqual(['live', 'sandbox']);
    expect(await views.find('sandbox', 'polygon')).toMatchObject({
      chainRef: sandbox.chainRef,
      chainId: '31337',
      height: 42,
      headHeight: 42,
      confirmations: 3,
      haltedReason: null,
      tokens: [
        {
          symbol: 'USDC',
          contract: sandbox.contract,
          decimals: 6,
          minorUnitExponent: 2,
          enabled: true,
          minimumAmount: null,
        },
      ],
    });
    expect(await views.find('sandbox', 'bnb')).toBeNull();
    expect(await views.byRef(retired.chainRef)).toBeNull();
  });

  it('lists tokens that are off last, so that a symbol is found where it is on offer', async () => {
    const { chainRef, contract } = await aChain(database);
    await query(
      database,
      `insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled)
       values ($1, '0x0', 'USDC', 6, 2, false), ($1, '0x1', 'AAVE', 18, 2, false), ($1, '0x2', 'USDT', 6, 2, true)`,
      [chainRef],
    );
    const view = await new NetworkViews(database).find('sandbox', 'polygon');
    expect(view?.tokens.map(({ symbol, enabled }) => `${symbol} ${enabled}`)).toEqual([
      'USDC true',
      'USDT true',
      'AAVE false',
      'USDC false',
    ]);
    expect(view?.tokens.find(({ symbol }) => symbol === 'USDC')?.contract).toBe(contract);
  });

  it('measures the lag by the clock of the database [E-62]', async () => {
    await aChain(database);
    await query(database, `update chain_cursor set synced_at = now() - interval '40 seconds'`);
    const [view] = await new NetworkViews(database).all();
    expect(view?.lagMs).toBeGreaterThanOrEqual(40_000);
    expect(view?.lagMs).toBeLessThan(60_000);
  });

  it('is read once for all who ask at the same time', async () => {
    await aChain(database);
    const views = new NetworkViews(database);
    const [one, other] = await Promise.all([views.all(), views.find('sandbox', 'polygon')]);
    expect(one[0]).toBe(other);
  });

  it('is read by a transaction on its own connection, while the read of others waits for one [D-49]', async () => {
    await aChain(database);
    await withPoolOf(1, db.url, async (small) => {
      const views = new NetworkViews(small);
      const { others, own } = await small.transaction(async (tx) => {
        await query(tx, 'select 1');
        return { others: views.all(), own: await views.all(tx) };
      });
      expect(own).toHaveLength(1);
      expect(await others).toHaveLength(1);
    });
  });
});
