import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { startWorld, type World } from '../support/world.js';
import { getIntent, intentWithAddress, untilStatus } from './intents.js';
import { expire, newMerchant, pocketOf } from './paying.js';

// The cases beside those of `solana.e2e-spec.ts`; `test/matrix/collecting.ts` has the kinds of payments.

let world: World;
let api: ApiClient;
beforeAll(async () => {
  world = await startWorld({ networks: ['solana', 'polygon'], env: { DEV_BLOCK_INTERVAL_MS: '50' } });
});
afterAll(() => world.stop());
beforeEach(async () => {
  api = await newMerchant(world);
});

const payIn = (id: string, body: object = {}) => api.post(`/v1/sandbox/payment-intents/${id}/pay`, body);

it('counts several payments, and shows what is missing until the rest is there', async () => {
  const intent = await intentWithAddress(api, { network: 'solana', token: 'USDC' });
  await payIn(intent.id, { amount: '10' });
  await untilStatus(api, intent.id, 'processing');
  await eventually(
    async () => getIntent(api, intent.id),
    ({ received_amount_cents: cents }) => cents === 1000,
  );
  await payIn(intent.id);
  const completed = await untilStatus(api, intent.id, 'completed');
  expect(completed.payments.map(({ amount }) => amount).toSorted()).toEqual(['10000000', '15000000']);
});

it('ends an intent as underpaid at its deadline, and credits what came', async () => {
  const intent = await intentWithAddress(api, { network: 'solana', token: 'USDC' });
  await payIn(intent.id, { amount: '10' });
  await untilStatus(api, intent.id, 'processing');
  expect((await expire(api, intent.id)).status).toBe(200);
  expect(await untilStatus(api, intent.id, 'failed')).toMatchObject({ failure_code: 'underpaid' });
  await eventually(
    async () => pocketOf(api, 'solana'),
    (pocket) => pocket?.available_cents === 1000,
  );
});
