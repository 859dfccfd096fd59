import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, aMerchant, anIntent, aPriceRound } from '../../test/support/factories.js';
import { parseConfig } from '../platform/config.js';
import type { Database } from '../platform/database/database.js';
import { PriceRounds } from './price-rounds.service.js';
import { fixedPrices, noPrices } from './price-source.js';
import { PricingService } from './pricing.service.js';

let db: TestDatabase;
let database: Database;
beforeEach(async () => {
  db = await freshDatabase();
  database = db.database;
});
afterEach(() => db.drop());

const roundsWith = (sources: string): PriceRounds => new PriceRounds(database, parseConfig({ PRICE_SOURCES: sources }));

const stored = (): Promise<{ environment: string; prices: Record<string, { price: string | null }> }[]> =>
  database.query(`select environment, prices from price_round order by created_at, id`);

describe('the sources', () => {
  it('know the prices of the sandbox, or none at all [api]', async () => {
    for (const [token, price] of [
      ['USDC', '1'],
      ['ETH', '3000'],
      ['POL', '0.5'],
      ['BNB', '600'],
      ['SHIB', null],
    ] as const) {
      expect(await fixedPrices.quote(token)).toEqual({ source: 'fixed', price });
    }
    expect(await noPrices.quote('USDC')).toEqual({ source: 'none', price: null });
  });
});

describe('a price round', () => {
  it('holds a verdict for every token on offer, with what each source said', async () => {
    await aChain(database);
    await roundsWith('fixed').takeDue();
    expect(await stored()).toEqual([
      {
        environment: 'sandbox',
        prices: { USDC: { price: '1', sources: [{ source: 'fixed', price: '1', at: expect.any(String) }] } },
      },
    ]);
  });

  it('is taken once while it is fresh, and again when it has aged', async () => {
    await aChain(database);
    const rounds = roundsWith('fixed');
    await rounds.takeDue();
    await rounds.takeDue();
    expect(await stored()).toHaveLength(1);
    await database.query(`update price_round set created_at = now() - interval '21 seconds'`);
    await rounds.takeDue();
    expect(await stored()).toHaveLength(2);
  });

  it('is taken for no environment without a chain', async () => {
    await roundsWith('fixed').takeDue();
    expect(await stored()).toEqual([]);
  });

  it('gives no price when no source has one', async () => {
    await aChain(database);
    await roundsWith('none').takeDue();
    expect((await stored())[0]?.prices['USDC']?.price).toBeNull();
    await expect(new PricingService(database).current('sandbox', 'USDC')).rejects.toMatchObject({
      code: 'price_unavailable',
    });
  });

  it('gives the first price that is one, when several sources are configured', async () => {
    await aChain(database);
    await roundsWith('none,fixed').takeDue();
    expect((await stored())[0]?.prices['USDC']).toMatchObject({
      price: '1',
      sources: [{ source: 'none' }, { source: 'fixed' }],
    });
  });

  it('is kept for 30 days, and for ever when a quote refers to it', async () => {
    await anIntent(database, { tenant: await aMerchant(database), chain: await aChain(database) });
    await aPriceRound(database);
    await database.query(`update price_round set created_at = now() - interval '31 days'`);
    await aPriceRound(database);
    await roundsWith('fixed').prune();
    expect(await stored()).toHaveLength(2);
    expect(await database.query(`select price_round_id is not null as kept from payment_intent`)).toEqual([
      { kept: true },
    ]);
  });
});

describe('the price of a token', () => {
  const current = (token = 'USDC') => new PricingService(database).current('sandbox', token);

  it('is that of the newest round, which it names', async () => {
    await aPriceRound(database, { USDC: '1' });
    await database.query(`update price_round set created_at = now() - interval '5 seconds'`);
    const newest = await aPriceRound(database, { USDC: '1.01' });
    expect(await current()).toEqual({ roundId: newest, price: '1.01' });
  });

  it.each<[what: string, prepare: () => Promise<unknown>]>([
    ['there is no round', async () => undefined],
    ['the round is of the other environment', () => aPriceRound(database).then(() => moveToLive())],
    ['the round names another token', () => aPriceRound(database, { ETH: '3000' })],
    ['the newest round is older than a minute [E-58]', () => aPriceRound(database).then(() => age('61 seconds'))],
  ])('is unavailable, and worth asking for again, when %s [spec 7]', async (_what, prepare) => {
    await prepare();
    await expect(current()).rejects.toMatchObject({ code: 'price_unavailable', details: { retryAfterSeconds: 10 } });
  });

  const moveToLive = (): Promise<unknown> => database.query(`update price_round set environment = 'live'`);
  const age = (by: string): Promise<unknown> =>
    database.query(`update price_round set created_at = now() - $1::interval`, [by]);
});
