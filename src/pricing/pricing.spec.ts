import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, aMerchant, anIntent, aPriceSnapshot } from '../../test/support/factories.js';
import { fixedPrice } from './fixed-prices.js';
import { PriceSnapshots } from './price-snapshots.service.js';
import { priceRigOf } from '../../test/support/price-snapshots.js';
import { query } from '../../test/support/sql.js';
import type { Database } from '../platform/database/database.js';
import { PricingService } from './pricing.service.js';

let db: TestDatabase;
let database: Database;
beforeEach(async () => {
  db = await freshDatabase();
  database = db.database;
});
afterEach(() => db.drop());

const snapshotsWith = (sources: string): PriceSnapshots => priceRigOf(database, { PRICE_SOURCES: sources }).snapshots;

const stored = (): Promise<{ environment: string; prices: Record<string, { price: string | null }> }[]> =>
  query(database, `select environment, prices from price_round order by created_at, id`);

describe('the fixed prices', () => {
  it('are those of the sandbox [api]', () => {
    expect(['USDC', 'USDT', 'ETH', 'POL', 'BNB', 'SHIB'].map(fixedPrice)).toEqual([
      '1',
      '1',
      '3000',
      '0.5',
      '600',
      null,
    ]);
  });
});

describe('a price snapshot', () => {
  it('holds a verdict for every token on offer, with what each source said', async () => {
    await aChain(database);
    await snapshotsWith('fixed').takeDue();
    expect(await stored()).toEqual([
      {
        environment: 'sandbox',
        prices: {
          USDC: {
            price: '1',
            code: 'fixed',
            median: '1',
            quorum: 1,
            freshSources: 1,
            usedSources: 1,
            sources: [
              {
                source: 'fixed',
                value: '1',
                observedAt: expect.any(String),
                ageSeconds: 0,
                deviationBps: 0,
                used: true,
                reason: null,
              },
            ],
          },
        },
      },
    ]);
  });

  it('is taken once while it is fresh, and again when it has aged', async () => {
    await aChain(database);
    const rounds = snapshotsWith('fixed');
    await rounds.takeDue();
    await rounds.takeDue();
    await age('19 seconds');
    await rounds.takeDue();
    expect(await stored()).toHaveLength(1);
    await age('2 seconds');
    await rounds.takeDue();
    expect(await stored()).toHaveLength(2);
  });

  it('is taken again after the 10 s that callers are asked to wait, when a price is missing', async () => {
    await aChain(database);
    const rounds = snapshotsWith('none');
    await rounds.takeDue();
    await age('9 seconds');
    await rounds.takeDue();
    expect(await stored()).toHaveLength(1);
    await age('2 seconds');
    await rounds.takeDue();
    expect(await stored()).toHaveLength(2);
  });

  it('is taken at once when a token has come on offer that the newest one does not have', async () => {
    const rounds = snapshotsWith('fixed');
    await aChain(database);
    await rounds.takeDue();
    await aChain(database, { network: 'ethereum', coin: 'ETH' });
    await rounds.takeDue();
    await rounds.takeDue();
    expect((await stored()).map(({ prices }) => Object.keys(prices))).toEqual([['USDC'], ['ETH', 'USDC']]);
  });

  it('is taken for no environment without a chain, and not of tokens that are switched off', async () => {
    await snapshotsWith('fixed').takeDue();
    expect(await stored()).toEqual([]);
    await aChain(database);
    await query(database, `update chain_token set enabled = false`);
    await snapshotsWith('fixed').takeDue();
    expect(await stored()).toEqual([{ environment: 'sandbox', prices: {} }]);
  });

  it('has no fixed price for live, however this process is configured', async () => {
    await aChain(database, { environment: 'live' });
    await snapshotsWith('fixed').takeDue();
    expect(await stored()).toEqual([]);
  });

  it('has no price when no source has one', async () => {
    await aChain(database);
    await snapshotsWith('none').takeDue();
    expect((await stored())[0]?.prices['USDC']).toMatchObject({ price: null, code: 'too_few_sources', sources: [] });
    await expect(new PricingService(database).current('sandbox', 'USDC')).rejects.toMatchObject({
      code: 'price_unavailable',
    });
  });

  it('needs no other source where fixed prices are configured', async () => {
    await aChain(database);
    await snapshotsWith('none,fixed').takeDue();
    expect((await stored())[0]?.prices['USDC']).toMatchObject({ price: '1', sources: [{ source: 'fixed' }] });
  });

  it('is kept for 30 days, and permanently when a quote refers to it', async () => {
    await anIntent(database, { tenant: await aMerchant(database), chain: await aChain(database) });
    await aPriceSnapshot(database);
    await age('31 days');
    await aPriceSnapshot(database);
    await snapshotsWith('fixed').prune();
    expect(await stored()).toHaveLength(2);
    expect(await query(database, `select price_round_id is not null as kept from payment_intent`)).toEqual([
      { kept: true },
    ]);
  });
});

describe('the price of a token', () => {
  const current = (token = 'USDC') => new PricingService(database).current('sandbox', token);

  it('is that of the newest snapshot, which it names', async () => {
    await aPriceSnapshot(database, { USDC: '1' });
    await age('5 seconds');
    const newest = await aPriceSnapshot(database, { USDC: '1.01' });
    expect(await current()).toEqual({ snapshotId: newest, price: '1.01' });
  });

  it.each<[what: string, prepare: () => Promise<unknown>]>([
    ['there is no snapshot', async () => undefined],
    ['the snapshot is of the other environment', () => aPriceSnapshot(database).then(() => moveToLive())],
    ['the snapshot names another token', () => aPriceSnapshot(database, { ETH: '3000' })],
    ['the newest snapshot is older than a minute [E-58]', () => aPriceSnapshot(database).then(() => age('61 seconds'))],
  ])('is unavailable, and worth asking for again, when %s [spec 7]', async (_what, prepare) => {
    await prepare();
    await expect(current()).rejects.toMatchObject({ code: 'price_unavailable', details: { retryAfterSeconds: 10 } });
  });

  const moveToLive = (): Promise<unknown> => query(db.owner, `update price_round set environment = 'live'`);
});

describe('the evidence of a snapshot', () => {
  it('that was stored before sources were judged is read as what it was: one source, believed', async () => {
    const sources = [
      { source: 'none', price: null, at: '2026-01-31T12:00:00.000Z' },
      { source: 'fixed', price: '1', at: '2026-01-31T12:00:00.000Z' },
    ];
    const id = await aPriceSnapshot(database);
    await query(db.owner, `update price_round set prices = $1`, [JSON.stringify({ USDC: { price: '1', sources } })]);
    const { verdict } = await new PricingService(database).evidence(id, 'USDC');
    expect(verdict).toMatchObject({ price: '1', code: 'fixed', quorum: 1, usedSources: 1 });
    expect(verdict.sources).toMatchObject([
      { source: 'none', value: null, observedAt: null, used: false, reason: 'no_answer' },
      { source: 'fixed', value: '1', observedAt: sources[1]?.at, ageSeconds: null, used: true, reason: null },
    ]);
  });

  it('is of the token that was asked for; a snapshot without it is a defect', async () => {
    const id = await aPriceSnapshot(database, { USDC: '1' });
    await expect(new PricingService(database).evidence(id, 'ETH')).rejects.toThrow('has no price of ETH');
    await expect(new PricingService(database).evidence('prd_unknown', 'USDC')).rejects.toThrow('has no price');
  });
});

it('returns the prices of each environment with chains', async () => {
  const pricing = new PricingService(database);
  expect(await pricing.states()).toEqual([]);
  await aChain(database);
  await aChain(database, { environment: 'live' });
  await aPriceSnapshot(database, { USDC: '1' });
  const [sandbox, live] = await pricing.states();
  expect(sandbox).toMatchObject({ environment: 'sandbox', isFresh: true, prices: new Map([['USDC', '1']]) });
  expect(live).toEqual({ environment: 'live', ageSeconds: null, isFresh: false, prices: new Map() });
  await age('61 seconds');
  expect((await pricing.states())[0]).toMatchObject({ isFresh: false, ageSeconds: expect.any(Number) });
});

const age = (by: string): Promise<unknown> =>
  query(db.owner, `update price_round set created_at = created_at - $1::interval`, [by]);
