import type { QuoteEvidenceObject } from '../../src/payments/intents/quote-evidence.schema.js';
import { eventually } from '../support/eventually.js';
import { PriceFakes } from '../support/price-fakes.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';
import { createIntent, generateAddress, intentWithAddress } from './intents.js';
import { refusalOf } from './refusal.js';
import { addKey, addMerchant } from './tenants.js';

const MARKET = { USDC: '0.9996', USDT: '1', POL: '0.5', ETH: '3000', BNB: '600' };

let fakes: PriceFakes;
let world: World;
beforeAll(async () => {
  fakes = await PriceFakes.start();
  fakes.allSay(MARKET);
  world = await startWorld({
    env: { PRICE_SOURCES: 'coinbase,kraken,binance,coingecko,chainlink', PRICE_SOURCE_URLS: fakes.urls },
  });
  await priced();
});
afterAll(async () => {
  await world.stop();
  await fakes.stop();
});

/** Makes the next snapshot due now, and waits until a new intent gets an address by it, or is refused. */
async function roundUntil(status: number) {
  return eventually(
    async () => {
      await query(world.owner, `update price_round set created_at = created_at - interval '21 seconds'`);
      const { id } = await createIntent(world.api);
      const answer = await generateAddress(world.api, id);
      return answer;
    },
    (answer) => answer.status === status,
    30_000,
  );
}
const priced = () => roundUntil(200);

const evidenceOf = (id: string) => world.api.get<QuoteEvidenceObject>(`/v1/payment-intents/${id}/quote`);

it('[E-58] shows what every source said, what became of it, and the rule that made the price of it', async () => {
  fakes.kraken.says({ ...MARKET, USDC: '0.9998' });
  await eventually(
    async () => {
      const { body } = await priced();
      return body;
    },
    (body) => body.crypto_amount_decimal === '25.007503',
    30_000,
  );
  const intent = await intentWithAddress(world.api);
  const { status, body } = await evidenceOf(intent.id);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    object: 'quote_evidence',
    payment_intent_id: intent.id,
    network: 'polygon',
    token: 'USDC',
    currency: 'USD',
    price: '0.9997',
    token_price_cents: intent.token_price_cents,
    amount_cents: 2500,
    crypto_amount: intent.crypto_amount,
    crypto_amount_decimal: '25.007503',
    verdict: { code: 'agreed', median: '0.9997', quorum: 2, fresh_sources: 2, used_sources: 2 },
  });
  expect(
    body.sources.map(({ source, value, deviation_bps, used, reason }) => [source, value, deviation_bps, used, reason]),
  ).toEqual([
    ['coinbase', null, null, false, 'not_listed'],
    ['kraken', '0.9998', 1, true, null],
    ['binance', null, null, false, 'not_listed'],
    ['coingecko', '0.9996', -1, true, null],
  ]);
  for (const { used, age_seconds: age } of body.sources) {
    if (used) expect(age).toBeLessThan(10);
    else expect(age).toBeNull();
  }
  expect(Date.now() - Date.parse(body.priced_at)).toBeLessThan(120_000);
});

it('[E-58] survives a source that is wrong about a coin: it is dropped, and reported as such', async () => {
  fakes.allSay({ ...MARKET, USDT: '0.998' });
  fakes.binance.says({ POL: '0.502' });
  fakes.kraken.says({ ...MARKET, POL: '0.51' });
  const order = { network: 'polygon', token: 'POL' };
  const body = await eventually(async () => {
    await priced();
    const { id } = await intentWithAddress(world.api, order);
    const evidence = await evidenceOf(id);
    return evidence.body.verdict.used_sources === 3 ? evidence.body : null;
  }, 30_000);
  expect(body).toMatchObject({ price: '0.5', token_price_cents: 50, crypto_amount_decimal: '50' });
  expect(body.verdict).toMatchObject({ code: 'agreed', quorum: 3, fresh_sources: 4, used_sources: 3 });
  expect(body.sources.map(({ source, value, used, reason }) => [source, value, used, reason])).toEqual([
    ['coinbase', '0.5', true, null],
    ['kraken', '0.51', false, 'outlier'],
    ['binance', '0.500996', true, null],
    ['coingecko', '0.5', true, null],
  ]);
  fakes.allSay(MARKET);
});

it('stays the same, whatever prices do later', async () => {
  const intent = await intentWithAddress(world.api);
  const before = await evidenceOf(intent.id);
  fakes.allSay({ ...MARKET, USDC: '0.97' });
  await eventually(
    async () => (await priced()).body.token_price_cents,
    (seen) => seen === 97,
    30_000,
  );
  const { body } = await evidenceOf(intent.id);
  // Only the clock of the snapshots was turned, by this test.
  expect({ ...body, priced_at: null }).toEqual({ ...before.body, priced_at: null });
  fakes.allSay(MARKET);
});

it('is not found before there is an address, and of others never', async () => {
  const waiting = await createIntent(world.api);
  const unquoted = await evidenceOf(waiting.id);
  expect(refusalOf(unquoted)).toEqual({ status: 404, code: 'not_found' });
  expect(unquoted.text).toContain('no quote yet');
  const { id } = await intentWithAddress(world.api);
  const foreign = await addKey(world, await addMerchant(world, 'Other'), 'sandbox');
  const live = await addKey(world, world.merchantId, 'live');
  const unknown = await world.api.get('/v1/payment-intents/pi_unknown/quote');
  for (const stranger of [foreign, live]) {
    const answer = await stranger.get(`/v1/payment-intents/${id}/quote`);
    expect(refusalOf(answer)).toEqual({ status: 404, code: 'not_found' });
    expect(answer.text).not.toContain('quote yet');
  }
  expect(refusalOf(unknown)).toEqual({ status: 404, code: 'not_found' });
});

it.each<[what: string, breakIt: () => void]>([
  ['its sources disagree', () => fakes.kraken.says({ ...MARKET, USDC: '0.97' })],
  ['one of two answers garbage', () => fakes.coingecko.says({ ...MARKET, USDC: '"a dollar"' })],
  [
    'one of two answers a price of two hours ago',
    () => fakes.coingecko.says({ ...MARKET, USDC: { price: '0.9996', ageMs: 7_200_000 } }),
  ],
  [
    'one of two wants to be left alone',
    () => void (fakes.kraken.instead = { status: 429, headers: { 'retry-after': '1' }, body: '{}' }),
  ],
  ['every source is down', () => fakes.all.forEach((api) => void (api.instead = { status: 500, body: 'down' }))],
])(
  '[E-58] there is no address while %s, and there is one again when that is over [spec 7 price_unavailable]',
  async (_what, breakIt) => {
    const addressed = await intentWithAddress(world.api);
    breakIt();
    const refused = await roundUntil(503);
    expect(refusalOf(refused)).toEqual({ status: 503, code: 'price_unavailable' });
    expect(refused.headers.get('retry-after')).toBe('10');
    // An intent with a quote keeps it, and everything else continues.
    expect((await generateAddress(world.api, addressed.id)).body).toEqual(addressed);
    expect((await evidenceOf(addressed.id)).status).toBe(200);
    const ready = await fetch(`${world.url}/health/ready`);
    expect(ready.status).toBe(200);
    fakes.allSay(MARKET);
    await priced();
  },
);
