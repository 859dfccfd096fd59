import { PriceFakes } from '../../test/support/price-fakes.js';
import { NETWORK_PROFILES } from '../chains/networks.js';
import { priceRuleOf } from '../domain/price-verdict.js';
import { BinanceSource } from './binance.source.js';
import { CoinbaseSource } from './coinbase.source.js';
import { CoinGeckoSource } from './coingecko.source.js';
import { fixedPrice } from './fixed-prices.js';
import { KrakenSource } from './kraken.source.js';
import { PriceHttp } from './price-http.js';
import type { PriceSource } from './price-source.js';

const APIS = ['coinbase', 'kraken', 'binance', 'coingecko'] as const;
type Api = (typeof APIS)[number];

let fakes: PriceFakes;
let opened: PriceSource[];
beforeEach(async () => {
  fakes = await PriceFakes.start();
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((source) => source.close()));
  await fakes.stop();
});

function sourceOf(
  api: Api,
  { apiKey = null, timeoutMs = 60_000 }: { apiKey?: string | null; timeoutMs?: number } = {},
): PriceSource {
  const http = new PriceHttp(api, fakes.urlOf(api), timeoutMs);
  const source = {
    coinbase: () => new CoinbaseSource(http),
    kraken: () => new KrakenSource(http),
    binance: () => new BinanceSource(http),
    coingecko: () => new CoinGeckoSource(http, apiKey),
  }[api]();
  opened.push(source);
  return source;
}

const TOKENS = ['ETH', 'POL', 'BNB', 'SOL', 'TRX', 'USDC', 'USDT'];
/** Asks about the tokens that the source lists, and returns its answers by token. */
const ask = async (source: PriceSource, tokens: readonly string[] = TOKENS) =>
  Object.fromEntries(await source.ask(tokens.filter((token) => source.lists(token))));

const PRICES = {
  ETH: '3000.12',
  POL: '0.5001',
  BNB: '612.4',
  SOL: '151.25',
  TRX: '0.2841',
  USDC: '0.9998',
  USDT: '1.0003',
};
const now = { observedAtMs: null };

describe('a token of the catalogue', () => {
  const symbols = new Set(NETWORK_PROFILES.flatMap(({ tokens }) => tokens.map(({ symbol }) => symbol)));

  it.each([...symbols])('%s is listed by as many sources as its price needs, and has a fixed price', (token) => {
    const listing = APIS.map((api) => sourceOf(api)).filter((source) => source.lists(token));
    expect(listing.length).toBeGreaterThanOrEqual(priceRuleOf(token).quorum);
    expect(fixedPrice(token)).not.toBeNull();
  });
});

describe('coinbase', () => {
  it('is asked about each product for the price and the time of its last trade; there is no USDC-USD, nor TRX-USD', async () => {
    fakes.coinbase.says({ ...PRICES, POL: { price: '0.5001', ageMs: 30_000 } });
    const answers = await ask(sourceOf('coinbase'));
    expect(answers).toEqual({
      ETH: { value: '3000.12', observedAtMs: expect.any(Number) },
      POL: { value: '0.5001', observedAtMs: expect.any(Number) },
      BNB: { value: '612.4', observedAtMs: expect.any(Number) },
      SOL: { value: '151.25', observedAtMs: expect.any(Number) },
      USDT: { value: '1.0003', observedAtMs: expect.any(Number) },
    });
    const age = (token: string) => Date.now() - (answers[token] as { observedAtMs: number }).observedAtMs;
    expect(age('ETH')).toBeLessThan(5_000);
    expect(age('POL')).toBeGreaterThanOrEqual(29_000);
    expect(fakes.coinbase.requests.map(({ url }) => url.pathname).toSorted()).toEqual([
      '/products/BNB-USD/ticker',
      '/products/ETH-USD/ticker',
      '/products/POL-USD/ticker',
      '/products/SOL-USD/ticker',
      '/products/USDT-USD/ticker',
    ]);
    // Without one, the real host answers 400.
    expect(fakes.coinbase.requests[0]?.headers['user-agent']).toBe('coffer');
  });

  it('does not list what it answers 404 about, and that is no fault', async () => {
    fakes.coinbase.says({ ETH: '3000' });
    expect(await ask(sourceOf('coinbase'), ['ETH', 'BNB'])).toMatchObject({
      ETH: { value: '3000' },
      BNB: { silence: 'not_listed' },
    });
  });

  it('[E-58] loses a product that cannot be read, and fails when it is asked to slow down', async () => {
    fakes.coinbase.says({ ETH: '3000', BNB: '600' });
    const onBnb = (status: number) => (url: URL) => (url.pathname.includes('BNB') ? { status, body: '{}' } : null);
    fakes.coinbase.instead = onBnb(500);
    expect(await ask(sourceOf('coinbase'), ['ETH', 'BNB'])).toMatchObject({
      ETH: { value: '3000' },
      BNB: { silence: 'no_answer' },
    });
    fakes.coinbase.instead = onBnb(429);
    await expect(ask(sourceOf('coinbase'), ['ETH', 'BNB'])).rejects.toMatchObject({ reason: 'rate_limited' });
  });

  it.each([
    ['no time', '{"price":"3000"}'],
    ['a time that is none', '{"price":"3000","time":"yesterday"}'],
    ['a price that is a number', '{"price":null,"time":"2026-01-31T12:00:00Z"}'],
    ['a message', '{"message":"Maintenance"}'],
    ['a list', '[]'],
  ])('[E-58] returns no price with %s', async (_what, body) => {
    fakes.coinbase.instead = { body };
    expect(await ask(sourceOf('coinbase'), ['ETH'])).toEqual({ ETH: { silence: 'not_a_price' } });
  });
});

describe('kraken', () => {
  it('is asked once for all, by its own names of pairs, for the middle of the book and not the last trade', async () => {
    fakes.kraken.says(PRICES);
    expect(await ask(sourceOf('kraken'))).toEqual({
      ETH: { value: '3000.12', ...now },
      POL: { value: '0.5001', ...now },
      BNB: { value: '612.4', ...now },
      SOL: { value: '151.25', ...now },
      TRX: { value: '0.2841', ...now },
      USDC: { value: '0.9998', ...now },
      USDT: { value: '1.0003', ...now },
    });
    expect(fakes.kraken.requests.map(({ url }) => url.searchParams.get('pair'))).toEqual([
      'XETHZUSD,POLUSD,BNBUSD,SOLUSD,TRXUSD,USDCUSD,USDTZUSD',
    ]);
  });

  it('loses one pair and keeps the others: the unknown one is found once and then left out', async () => {
    fakes.kraken.says({ ETH: '3000', USDC: '1' });
    const source = sourceOf('kraken');
    const expected = { ETH: { value: '3000', ...now }, USDC: { value: '1', ...now } };
    expect(await ask(source, ['ETH', 'BNB', 'USDC'])).toEqual(expected);
    fakes.kraken.requests.length = 0;
    expect(await ask(source, ['ETH', 'BNB', 'USDC'])).toEqual(expected);
    expect(fakes.kraken.requests.map(({ url }) => url.searchParams.get('pair'))).toEqual(['XETHZUSD,USDCUSD']);
    expect(await ask(source, ['BNB'])).toEqual({});
  });

  it.each([
    ['a rate limit', 'EAPI:Rate limit exceeded', 'rate_limited'],
    ['too many requests', 'EGeneral:Too many requests', 'rate_limited'],
    ['a standstill', 'EService:Unavailable', 'no_answer'],
  ])('[E-58] does not answer when status 200 reports %s', async (_what, error, reason) => {
    fakes.kraken.instead = { body: JSON.stringify({ error: [error] }) };
    await expect(ask(sourceOf('kraken'))).rejects.toMatchObject({ name: 'SourceFault', reason });
  });

  it.each([
    ['a ticker without a bid', { a: ['3000', '1', '1'] }, 'not_a_price'],
    ['numbers for text', { a: [3000, 1, 1], b: [{}, 1, 1] }, 'not_a_price'],
    ['an empty book', { a: ['0.00000', '0', '0.000'], b: ['0.00000', '0', '0.000'] }, 'not_a_price'],
    ['an abandoned book', { a: ['3300', '1', '1'], b: ['2700', '1', '1'] }, 'wide_book'],
  ])('[E-58] returns no price by %s', async (_what, ticker, silence) => {
    fakes.kraken.instead = { body: JSON.stringify({ error: [], result: { XETHZUSD: ticker } }) };
    expect(await ask(sourceOf('kraken'), ['ETH'])).toEqual({ ETH: { silence } });
  });
});

describe('binance', () => {
  it('is asked once for all and counts in USDT; of stablecoins it is not asked', async () => {
    fakes.binance.says(PRICES);
    const source = sourceOf('binance');
    expect(source.quotedIn).toBe('USDT');
    expect(await ask(source)).toEqual({
      ETH: { value: '3000.12', ...now },
      POL: { value: '0.5001', ...now },
      BNB: { value: '612.4', ...now },
      SOL: { value: '151.25', ...now },
      TRX: { value: '0.2841', ...now },
    });
    expect(fakes.binance.requests.map(({ url }) => url.searchParams.get('symbols'))).toEqual([
      '["ETHUSDT","POLUSDT","BNBUSDT","SOLUSDT","TRXUSDT"]',
    ]);
  });

  it('loses one symbol and keeps the others', async () => {
    fakes.binance.says({ ETH: '3000' });
    expect(await ask(sourceOf('binance'), ['ETH', 'POL'])).toEqual({ ETH: { value: '3000', ...now } });
  });

  it('[E-58] returns no price of a halted market', async () => {
    fakes.binance.says({ ETH: '0.00000000' });
    expect(await ask(sourceOf('binance'), ['ETH'])).toEqual({ ETH: { silence: 'not_a_price' } });
  });

  it('[E-58] is silent when it refuses for another reason, bans us, or bars our country', async () => {
    fakes.binance.instead = { status: 400, body: '{"code":-1100,"msg":"Illegal characters found."}' };
    await expect(ask(sourceOf('binance'))).rejects.toMatchObject({ reason: 'no_answer' });
    fakes.binance.instead = { status: 418, headers: { 'retry-after': '120' }, body: '{}' };
    await expect(ask(sourceOf('binance'))).rejects.toMatchObject({ reason: 'rate_limited', retryAfterMs: 120_000 });
    fakes.binance.instead = { status: 451, body: '{"code":0,"msg":"Service unavailable from a restricted location"}' };
    await expect(ask(sourceOf('binance'))).rejects.toMatchObject({ reason: 'no_answer' });
  });
});

describe('coingecko', () => {
  it('is asked once for all by its ids, POL by its new one, with the key and without it', async () => {
    fakes.coingecko.says({ ...PRICES, ETH: { price: '3000.120000000000001', ageMs: 90_000 } });
    const answers = await ask(sourceOf('coingecko', { apiKey: 'CG-demo' }));
    expect(answers).toMatchObject({
      ETH: { value: '3000.120000000000001' },
      POL: { value: '0.5001' },
      BNB: { value: '612.4' },
      SOL: { value: '151.25' },
      TRX: { value: '0.2841' },
      USDC: { value: '0.9998' },
      USDT: { value: '1.0003' },
    });
    expect(Date.now() - (answers['ETH'] as { observedAtMs: number }).observedAtMs).toBeGreaterThanOrEqual(90_000);
    await ask(sourceOf('coingecko'));
    const [withKey, without] = fakes.coingecko.requests;
    expect(Object.fromEntries(withKey?.url.searchParams ?? [])).toEqual({
      ids: 'ethereum,polygon-ecosystem-token,binancecoin,solana,tron,usd-coin,tether',
      vs_currencies: 'usd',
      include_last_updated_at: 'true',
      precision: 'full',
    });
    expect(withKey?.headers['x-cg-demo-api-key']).toBe('CG-demo');
    expect(without?.headers['x-cg-demo-api-key']).toBeUndefined();
  });

  it('publishes once a minute, so what it says may be two minutes old', () => {
    expect(sourceOf('coingecko').maxAgeMs('ETH')).toBe(120_000);
    for (const api of ['coinbase', 'kraken', 'binance'] as const) expect(sourceOf(api).maxAgeMs('ETH')).toBe(60_000);
  });

  it.each([
    ['null', '{"ethereum":{"usd":null,"last_updated_at":1769860800}}'],
    ['no time', '{"ethereum":{"usd":3000}}'],
    ['a time in the dark', '{"ethereum":{"usd":3000,"last_updated_at":1e99}}'],
    ['an empty coin', '{"ethereum":{}}'],
  ])('[E-58] returns no price by %s', async (_what, body) => {
    fakes.coingecko.instead = { body };
    expect(await ask(sourceOf('coingecko'), ['ETH'])).toEqual({ ETH: { silence: 'not_a_price' } });
  });

  it('does not list what it leaves out', async () => {
    fakes.coingecko.says({});
    expect(await ask(sourceOf('coingecko'), ['ETH'])).toEqual({});
  });
});

describe.each(APIS)('%s', (api) => {
  it.each([
    ['HTTP 429', { status: 429, headers: { 'retry-after': '7' }, body: '{}' }, 'rate_limited', 7_000],
    ['HTTP 429 without a time', { status: 429, body: 'slow down' }, 'rate_limited', null],
    ['HTTP 503 with a time', { status: 503, headers: { 'retry-after': '30' }, body: '{}' }, 'no_answer', 30_000],
    ['HTTP 500', { status: 500, body: 'oops' }, 'no_answer', null],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' }, 'no_answer', null],
    ['a page', { body: '<html>Checking your browser</html>' }, 'no_answer', null],
    ['half an answer', 'hang up halfway', 'no_answer', null],
    ['a closed connection', 'hang up', 'no_answer', null],
    ['no end of an answer', { body: `"${'a'.repeat(300_000)}"` }, 'no_answer', null],
  ] as const)('[E-58] is silent on %s', async (_what, answer, reason, retryAfterMs) => {
    fakes[api].instead = answer;
    await expect(ask(sourceOf(api), ['ETH'])).rejects.toMatchObject({ name: 'SourceFault', reason, retryAfterMs });
  });

  it('[E-58] is silent on nothing in time', async () => {
    fakes[api].instead = 'say nothing';
    await expect(ask(sourceOf(api, { timeoutMs: 250 }), ['ETH'])).rejects.toMatchObject({
      name: 'SourceFault',
      reason: 'no_answer',
      message: `${api} did not answer within 250 ms.`,
    });
  });
});

it('reads Retry-After as a date too, and waits no longer than an hour', async () => {
  const retryAfter = async (value: string) => {
    fakes.kraken.instead = { status: 429, headers: { 'retry-after': value }, body: '' };
    return ask(sourceOf('kraken')).catch((error: { retryAfterMs: number | null }) => error.retryAfterMs);
  };
  expect(await retryAfter(new Date(Date.now() + 60_000).toUTCString())).toBeGreaterThan(50_000);
  expect(await retryAfter('Wed, 21 Oct 2015 07:28:00 GMT')).toBe(0);
  expect(await retryAfter('999999')).toBe(3_600_000);
  expect(await retryAfter('soon')).toBeNull();
});
