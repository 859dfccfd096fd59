import { randomBytes } from 'node:crypto';
import { getAddress } from 'ethers';
import { ListenerService } from '../../src/payments/listener/listener.service.js';
import { newId } from '../../src/domain/ids.js';
import type { ApiAnswer } from '../support/api-client.js';
import { addressOf, createIntent, generateAddress, intentWithAddress, ORDER } from './intents.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { refusalOf } from './refusal.js';
import { addKey } from './tenants.js';
import { startWorld, type World } from '../support/world.js';

let world: World;
afterEach(() => world.stop());

const retryAfter = ({ headers }: Pick<ApiAnswer, 'headers'>): number => Number(headers.get('retry-after'));
/** The first intent of a world that is not ready: its network is offered once the listener has found it. */
const firstIntent = () => eventually(() => createIntent(world.api));

it('without a price: 503 price_unavailable, and the same key works once there is one [spec 7 price_unavailable] [C-36]', async () => {
  world = await startWorld({ env: { PRICE_SOURCES: 'none' } });
  const { id } = await firstIntent();
  const refused = await generateAddress(world.api, id, 'same-key');
  expect(refusalOf(refused)).toEqual({ status: 503, code: 'price_unavailable' });
  expect(retryAfter(refused)).toBeGreaterThan(0);
  expect(await query(world.database, `select from pool_address where intent_id = $1`, [id])).toEqual([]);

  const answer = await eventually(
    async () => {
      // Again at each attempt: the worker adds snapshots without a price, and the newest one counts.
      await query(world.database, `insert into price_round (id, environment, prices) values ($1, 'sandbox', $2)`, [
        newId('prd_'),
        JSON.stringify({ USDC: { price: '1', sources: [] } }),
      ]);
      const again = await generateAddress(world.api, id, 'same-key');
      return again;
    },
    (again) => again.status === 200,
  );
  expect(answer.headers.get('idempotent-replayed')).toBeNull();
  expect(addressOf(answer.body)).toMatch(/^0x/);
});

it('without a free wallet: 503 no_wallets_available; 20 calls for 19 wallets return 19 addresses [spec 7 no_wallets_available] [D-44]', async () => {
  world = await startWorld({ env: { WALLET_POOL_TARGET: '0' } });
  const { id } = await firstIntent();
  const refused = await eventually(async () => {
    const answer = await generateAddress(world.api, id);
    expect(refusalOf(answer)).toEqual({ status: 503, code: 'no_wallets_available' });
    return answer;
  });
  expect(retryAfter(refused)).toBeGreaterThan(0);

  const addresses = Array.from({ length: 19 }, () => getAddress(`0x${randomBytes(20).toString('hex')}`));
  await query(
    world.database,
    `insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
     select 'sandbox', 'evm', n, 'none', address, lower(address) from unnest($1::text[]) with ordinality as given (address, n)`,
    [addresses],
  );
  const intents = await Promise.all(addresses.map(() => createIntent(world.api)));
  const answers = await Promise.all(
    [id, ...intents.map((intent) => intent.id)].map((one) => generateAddress(world.api, one)),
  );
  const served = answers.filter(({ status }) => status === 200);
  expect(new Set(served.map(({ body }) => addressOf(body)))).toEqual(new Set(addresses));
  expect(answers.filter(({ status }) => status !== 200).map(refusalOf)).toEqual([
    { status: 503, code: 'no_wallets_available' },
  ]);
});

it('a network whose chain is not read: 503 network_unavailable, and existing addresses stay', async () => {
  world = await startWorld();
  const addressed = await intentWithAddress(world.api);
  const waiting = await createIntent(world.api);
  await world.service.get(ListenerService).stop();
  const refusedOnceSeen = async (cursor: string, networkStatus: string): Promise<void> => {
    await query(world.database, `update chain_cursor set ${cursor}`);
    await eventually(async () => {
      const { body } = await world.api.get<{ data: { status: string }[] }>('/v1/networks');
      expect(body.data.map(({ status }) => status)).toEqual([networkStatus]);
      return true;
    });
    const answer = await generateAddress(world.api, waiting.id);
    expect(refusalOf(answer)).toEqual({ status: 503, code: 'network_unavailable' });
    expect(retryAfter(answer)).toBe(30);
  };
  await refusedOnceSeen(`synced_at = now() - interval '301 seconds'`, 'degraded');
  expect((await generateAddress(world.api, addressed.id)).body).toEqual(addressed);
  await refusedOnceSeen(`synced_at = now(), halted_reason = 'A reorg below finality.'`, 'disabled');
});

it('at most OPEN_INTENTS_MAX open intents have an address: 429, until one of them ends [N-176]', async () => {
  world = await startWorld({ env: { OPEN_INTENTS_MAX: '2' } });
  const [first] = [await intentWithAddress(world.api), await intentWithAddress(world.api)];
  const { id } = await createIntent(world.api);
  const refused = await generateAddress(world.api, id);
  expect(refusalOf(refused)).toEqual({ status: 429, code: 'rate_limited' });
  expect(retryAfter(refused)).toBeGreaterThan(0);
  expect((await generateAddress(world.api, first.id)).body).toEqual(first);
  await query(world.database, `update payment_intent set status = 'expired' where id = $1`, [first.id]);
  expect((await generateAddress(world.api, id)).status).toBe(200);
});

it('more requests than the rate allows: 429 with Retry-After, for that key alone', async () => {
  world = await startWorld({ env: { RATE_LIMIT_PER_SECOND: '5' } });
  const busy = await addKey(world, world.merchantId, 'sandbox');
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: 30 }, () => busy.get('/v1/networks')));
  const seconds = (performance.now() - startedAt) / 1_000;
  const admitted = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status !== 200);
  // The bucket holds twice the rate, and fills again while the burst lasts.
  expect(admitted.length).toBeGreaterThanOrEqual(10);
  expect(admitted.length).toBeLessThanOrEqual(10 + 5 * seconds);
  for (const answer of answers) {
    expect(answer.headers.get('ratelimit-policy')).toBe('"key";q=10;w=2');
    expect(answer.headers.get('ratelimit')).toMatch(/^"key";r=\d+;t=\d+$/);
  }
  for (const answer of refused) {
    expect(refusalOf(answer)).toEqual({ status: 429, code: 'rate_limited' });
    expect(retryAfter(answer)).toBe(1);
  }
  expect((await world.api.get('/v1/networks')).status).toBe(200);

  const written = await Promise.all(Array.from({ length: 30 }, () => busy.post('/v1/payment-intents', 'no JSON')));
  const statuses = new Set(written.map(({ status }) => status));
  expect(statuses.has(429)).toBe(true);
  await eventually(
    async () => (await busy.post('/v1/payment-intents', ORDER)).status,
    (seen) => seen === 201,
  );
});
