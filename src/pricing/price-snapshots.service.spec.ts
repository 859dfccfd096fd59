import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain } from '../../test/support/factories.js';
import { FakeNode } from '../../test/support/fake-node.js';
import { PriceFakes } from '../../test/support/price-fakes.js';
import { type PriceRig, priceRigOf } from '../../test/support/price-snapshots.js';
import { query } from '../../test/support/sql.js';
import type { PriceVerdict } from '../domain/price-verdict.js';
import type { Database } from '../platform/database/database.js';
import { CHAINLINK_FEEDS } from './chainlink-feeds.js';
import { PricingService } from './pricing.service.js';

let db: TestDatabase;
let database: Database;
let fakes: PriceFakes;
let rig: PriceRig;
beforeEach(async () => {
  [db, fakes] = await Promise.all([freshDatabase(), PriceFakes.start()]);
  database = db.database;
  rig = priceRigOf(database, { PRICE_SOURCES: 'coinbase,kraken,binance,coingecko', PRICE_SOURCE_URLS: fakes.urls });
});
afterEach(async () => {
  await rig.snapshots.beforeApplicationShutdown();
  await fakes.stop();
  await db.drop();
});

/** Takes a snapshot now, however young the last one is. */
async function takeSnapshot(): Promise<Record<string, PriceVerdict>> {
  await query(db.owner, `update price_round set created_at = created_at - interval '30 seconds'`);
  await rig.snapshots.takeDue();
  const [row] = await query<{ prices: Record<string, PriceVerdict> }>(
    database,
    `select prices from price_round order by created_at desc limit 1`,
  );
  return row?.prices ?? {};
}

const reasons = (verdict: PriceVerdict | undefined) =>
  Object.fromEntries((verdict?.sources ?? []).map(({ source, used, reason }) => [source, used ? 'used' : reason]));

const offer = (symbol: string) =>
  query(
    database,
    `insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled)
     select id, $1, $1, 18, 8, true from chain`,
    [symbol],
  );

describe('a snapshot of the market', () => {
  it('asks each source once about what is on offer, and keeps what each said', async () => {
    await aChain(database, { coin: 'POL' });
    await offer('USDC');
    fakes.allSay({ POL: '0.5', USDC: '0.9999', USDT: '1' });
    fakes.kraken.says({ POL: '0.502', USDC: '0.9997', USDT: '1' });
    const verdicts = await takeSnapshot();
    expect(verdicts).toMatchObject({
      POL: { price: '0.5', code: 'agreed', quorum: 3, freshSources: 4, usedSources: 4 },
      USDC: { price: '0.9998', code: 'agreed', quorum: 2, freshSources: 2, usedSources: 2 },
    });
    expect(Object.keys(verdicts).toSorted()).toEqual(['POL', 'USDC']);
    expect(reasons(verdicts['USDC'])).toEqual({
      coinbase: 'not_listed',
      kraken: 'used',
      binance: 'not_listed',
      coingecko: 'used',
    });
    expect(verdicts['POL']?.sources[1]).toEqual({
      source: 'kraken',
      value: '0.502',
      observedAt: expect.stringMatching(/Z$/),
      ageSeconds: expect.any(Number),
      deviationBps: 40,
      used: true,
      reason: null,
    });
    expect([fakes.kraken, fakes.binance, fakes.coingecko].map(({ requests }) => requests.length)).toEqual([1, 1, 1]);
    // POL, and USDT because binance counts in it.
    expect(fakes.coinbase.requests).toHaveLength(2);
  });

  it('is quoted at once, also by a process that has just found no price', async () => {
    await aChain(database, { coin: 'POL' });
    fakes.allSay({ POL: '0.5', USDC: '0.9999', USDT: '1' });
    const pricing = new PricingService(database);
    await expect(pricing.current('sandbox', 'POL')).rejects.toMatchObject({ code: 'price_unavailable' });
    await takeSnapshot();
    await expect(pricing.current('sandbox', 'POL')).resolves.toMatchObject({ price: '0.5' });
    await offer('USDC');
    await expect(pricing.current('sandbox', 'USDC')).rejects.toMatchObject({ code: 'price_unavailable' });
    await takeSnapshot();
    await expect(pricing.current('sandbox', 'USDC')).resolves.toMatchObject({ price: '0.9999' });
  });

  it('[E-58] converts what binance says by the real price of USDT, and leaves it out without one', async () => {
    await aChain(database, { coin: 'ETH' });
    fakes.allSay({ ETH: '2850', USDT: '0.95' });
    fakes.binance.says({ ETH: '3000' });
    const converted = (await takeSnapshot())['ETH'];
    expect(converted?.sources[2]).toMatchObject({ source: 'binance', value: '2850', used: true });
    fakes.coinbase.says({ ETH: '2850' });
    fakes.kraken.says({ ETH: '2850' });
    expect(reasons((await takeSnapshot())['ETH'])).toEqual({
      coinbase: 'used',
      kraken: 'used',
      binance: 'no_usdt_price',
      coingecko: 'used',
    });
  });

  it('[E-58] outlives one source that is wrong, late, malformed or down, and no more than one', async () => {
    await aChain(database, { coin: 'ETH' });
    const honest = { ETH: '3000', USDT: '1' };
    const broken: [what: unknown, reason: string][] = [
      [{ ETH: '30000', USDT: '1' }, 'outlier'],
      [{ ETH: { price: '3000', ageMs: 7_200_000 }, USDT: '1' }, 'stale'],
      [{ ETH: 'null', USDT: '1' }, 'not_a_price'],
      [{ ETH: '0', USDT: '1' }, 'not_a_price'],
      [{ ETH: '-3000', USDT: '1' }, 'not_a_price'],
      [null, 'no_answer'],
    ];
    for (const [prices, reason] of broken) {
      fakes.allSay(honest);
      if (prices === null) fakes.coingecko.instead = 'hang up';
      else fakes.coingecko.says(prices as typeof honest);
      const verdict = (await takeSnapshot())['ETH'];
      expect(verdict).toMatchObject({ price: '3000', code: 'agreed', usedSources: 3 });
      expect(reasons(verdict)['coingecko']).toBe(reason);
    }
    fakes.kraken.says({ ETH: '0.00', USDT: '1' });
    expect((await takeSnapshot())['ETH']).toMatchObject({ price: null, code: 'too_few_sources', freshSources: 2 });
  });

  it('[E-58] has no price when sources disagree, and logs it once, and once more when it is over', async () => {
    await aChain(database, { coin: 'ETH' });
    fakes.allSay({ ETH: '3000', USDT: '1' });
    fakes.kraken.says({ ETH: '3100', USDT: '1' });
    fakes.coinbase.says({ ETH: '3200', USDT: '1' });
    expect((await takeSnapshot())['ETH']).toMatchObject({ price: null, code: 'no_agreement' });
    await takeSnapshot();
    fakes.allSay({ ETH: '3000', USDT: '1' });
    expect((await takeSnapshot())['ETH']).toMatchObject({ price: '3000' });
    expect(rig.log.named('A token has no price.')).toMatchObject([
      { level: 'error', environment: 'sandbox', token: 'ETH', verdict: 'no_agreement' },
    ]);
    expect(rig.log.named('A token has a price again.')).toHaveLength(1);
  });

  it('[E-58] quotes a stablecoin that lost its peg at what it is worth, and alarms staff', async () => {
    await aChain(database);
    fakes.allSay({ USDC: '0.95' });
    expect((await takeSnapshot())['USDC']).toMatchObject({ price: '0.95', code: 'agreed' });
    await takeSnapshot();
    expect(rig.log.named('A stablecoin is not worth one dollar: quotes follow its price.')).toMatchObject([
      { level: 'error', token: 'USDC', price: '0.95' },
    ]);
    await rig.watch.measure();
    const measured = await rig.metrics.registry.metrics();
    expect(measured).toContain('coffer_stablecoin_off_peg{environment="sandbox",token="USDC"} 1\n');
    expect(measured).toContain('coffer_price_missing{environment="sandbox",token="USDC"} 0\n');
    expect(measured).toMatch(/coffer_price_round_age_seconds\{environment="sandbox"\} \d/);
    fakes.allSay({ USDC: '1' });
    await takeSnapshot();
    expect(rig.log.named('A stablecoin is worth one dollar again.')).toHaveLength(1);
  });

  it('leaves a source alone for as long as it asked, continues without it, and logs it once', async () => {
    await aChain(database, { coin: 'ETH' });
    fakes.allSay({ ETH: '3000', USDT: '1' });
    fakes.kraken.instead = { status: 429, headers: { 'retry-after': '600' }, body: '{}' };
    expect(reasons((await takeSnapshot())['ETH'])).toMatchObject({ kraken: 'rate_limited', coinbase: 'used' });
    fakes.kraken.says({ ETH: '3000', USDT: '1' });
    expect(reasons((await takeSnapshot())['ETH'])).toMatchObject({ kraken: 'rate_limited', coinbase: 'used' });
    expect(fakes.kraken.requests).toHaveLength(1);
    expect(rig.log.named('A price source does not answer.')).toMatchObject([
      { level: 'warn', source: 'kraken', reason: 'rate_limited' },
    ]);
    expect(await rig.metrics.registry.metrics()).toContain(
      'coffer_price_source_failures_total{source="kraken",reason="rate_limited"} 2\n',
    );
  });

  it('[E-58] is dated at its beginning, so that what a paused leader stores late is old', async () => {
    await aChain(database, { coin: 'ETH' });
    fakes.allSay({ ETH: '3000', USDT: '1' });
    fakes.kraken.instead = 'say nothing';
    const before = await databaseTime();
    await rig.snapshots.takeDue();
    const [round] = await query<{ created_at: string }>(database, `select created_at from price_round`);
    const waited = (await databaseTime()) - before;
    expect(waited).toBeGreaterThan(3_500);
    expect(Date.parse(round?.created_at ?? '') - before).toBeLessThan(waited - 3_000);
  });

  it('is not stored by a process that is about to end: its own end silenced the sources', async () => {
    await aChain(database, { coin: 'ETH' });
    for (const api of fakes.all) api.instead = 'say nothing';
    const taking = rig.snapshots.takeDue();
    await rig.snapshots.beforeApplicationShutdown();
    await taking;
    expect(await query(database, `select from price_round`)).toEqual([]);
    expect(rig.log.lines).toEqual([]);
  });

  const databaseTime = async (): Promise<number> => {
    const [row] = await query<{ now: string }>(database, `select clock_timestamp() as now`);
    return Date.parse(row?.now ?? '');
  };
});

describe('a snapshot of the live market', () => {
  const word = (value: bigint) => value.toString(16).padStart(64, '0');
  let node: FakeNode;
  let ethUsd: bigint;
  let writtenAgoSeconds: number;
  beforeEach(async () => {
    [ethUsd, writtenAgoSeconds] = [300_000_000_000n, 60];
    node = await FakeNode.start({
      eth_chainId: () => '0x1',
      eth_call: (call) => {
        const feed = CHAINLINK_FEEDS.find(({ contract }) => contract === (call as { to: string }).to);
        const answer = feed?.token === 'ETH' ? ethUsd : 100_000_000n;
        const writtenAt = BigInt(Math.floor(Date.now() / 1000) - writtenAgoSeconds);
        return `0x${[1n, answer, writtenAt, writtenAt, 1n].map(word).join('')}`;
      },
    });
    rig = priceRigOf(database, {
      DATABASE_URL: db.url,
      VAULT_PASSPHRASE: 'correct horse battery',
      SECRETS_KEY: 'ab'.repeat(32),
      LIVE_ETHEREUM_RPC_URL: node.url,
      PRICE_SOURCE_URLS: fakes.urls,
    });
    await aChain(database, { environment: 'live', network: 'ethereum', coin: 'ETH' });
    fakes.allSay({ ETH: '3000', USDT: '1' });
  });
  afterEach(() => node.stop());

  it('asks all five by default; chainlink agrees and is not counted', async () => {
    const verdict = (await takeSnapshot())['ETH'];
    expect(verdict).toMatchObject({ price: '3000', code: 'agreed', usedSources: 4 });
    expect(verdict?.sources.at(-1)).toMatchObject({ source: 'chainlink', value: '3000', reason: 'reference' });
  });

  it('[E-58] has no price while chainlink is more than 2 % away, unless what it says is older than its heartbeat', async () => {
    ethUsd = 290_000_000_000n;
    const vetoed = (await takeSnapshot())['ETH'];
    expect(vetoed).toMatchObject({ price: null, code: 'vetoed', median: '3000' });
    expect(vetoed?.sources.at(-1)).toMatchObject({ deviationBps: -333, used: false, reason: 'veto' });
    writtenAgoSeconds = 2 * 3_600;
    const priced = (await takeSnapshot())['ETH'];
    expect(priced).toMatchObject({ price: '3000', code: 'agreed' });
    expect(reasons(priced)['chainlink']).toBe('stale');
  });

  it('prices without chainlink when no node answers', async () => {
    node.speak = () => 'hang up';
    const verdict = (await takeSnapshot())['ETH'];
    expect(verdict).toMatchObject({ price: '3000', code: 'agreed' });
    expect(reasons(verdict)['chainlink']).toBe('no_answer');
  });
});
