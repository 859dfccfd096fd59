import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain } from '../../../test/support/factories.js';
import { PriceFakes } from '../../../test/support/price-fakes.js';
import { parseConfig } from '../../platform/config.js';
import { PriceMarket } from '../../pricing/price-market.service.js';
import { ConfiguredSources } from '../../pricing/configured-sources.js';
import type { Finding } from './doctor-finding.js';
import { checkPrices } from './doctor-prices.js';

let db: TestDatabase;
let fakes: PriceFakes;
beforeEach(async () => {
  [db, fakes] = await Promise.all([freshDatabase(), PriceFakes.start()]);
});
afterEach(async () => {
  await fakes.stop();
  await db.drop();
});

function examine(sources: string): Promise<Finding[]> {
  const config = parseConfig({ PRICE_SOURCES: sources, PRICE_SOURCE_URLS: fakes.urls });
  return checkPrices(new PriceMarket(db.database, config, new ConfiguredSources(config)));
}

it('shows which sources answer, for which tokens, and the resulting prices, and stores nothing', async () => {
  await aChain(db.database);
  fakes.allSay({ USDC: '0.98', USDT: '1' });
  fakes.coingecko.instead = { status: 429, body: '{}' };
  expect(await examine('coinbase,kraken,coingecko')).toEqual([
    {
      check: 'price source sandbox/coinbase',
      level: 'ok',
      detail: 'has no price of a token on offer',
      fix: null,
    },
    { check: 'price source sandbox/kraken', level: 'ok', detail: 'has prices of USDC', fix: null },
    {
      check: 'price source sandbox/coingecko',
      level: 'warn',
      detail: 'coingecko asks for fewer requests.',
      fix: expect.any(String),
    },
    {
      check: 'price sandbox/USDC',
      level: 'fail',
      detail:
        'none (too_few_sources; needs 2 fresh sources): coinbase not_listed, kraken fresh, coingecko rate_limited',
      fix: expect.stringContaining('docs/prices.md'),
    },
  ]);
  fakes.allSay({ USDC: '0.98', USDT: '1' });
  expect((await examine('coinbase,kraken,coingecko')).at(-1)).toMatchObject({
    check: 'price sandbox/USDC',
    level: 'warn',
    detail: '0.98 USD (2 sources agree): off its peg',
  });
  expect(await db.query(`select from price_round`)).toEqual([]);
});

it('handles fixed prices, no prices, and installations without chains', async () => {
  expect(await examine('kraken')).toEqual([]);
  await aChain(db.database);
  expect(await examine('fixed')).toMatchObject([
    { check: 'price sandbox/USDC', level: 'ok', detail: '1 USD (fixed)', fix: null },
  ]);
  expect(await examine('none')).toMatchObject([
    { level: 'fail', detail: 'none (too_few_sources; needs 2 fresh sources): PRICE_SOURCES names no source' },
  ]);
  expect(fakes.all.flatMap(({ requests }) => requests)).toEqual([]);
});
