import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';
import { addressOf, getIntent, intentWithAddress, untilStatus } from './intents.js';
import { expire, newMerchant, pocketOf } from './paying.js';

// The cases beside those of `tron.e2e-spec.ts`; `test/matrix/collecting.e2e-spec.ts` has the kinds of payments.

let world: World;
let api: ApiClient;
beforeAll(async () => {
  world = await startWorld({ networks: ['tron', 'polygon'], env: { DEV_BLOCK_INTERVAL_MS: '50' } });
});
afterAll(() => world.stop());
beforeEach(async () => {
  api = await newMerchant(world);
});

const payIn = (id: string, body: object = {}) => api.post(`/v1/sandbox/payment-intents/${id}/pay`, body);

it('counts several payments, one of them too large, and says by how much', async () => {
  const intent = await intentWithAddress(api, { network: 'tron', token: 'USDT' });
  await payIn(intent.id, { amount: '10' });
  await eventually(
    async () => getIntent(api, intent.id),
    ({ received_amount_cents: cents }) => cents === 1000,
  );
  await payIn(intent.id, { amount: '17.5' });
  const completed = await untilStatus(api, intent.id, 'completed');
  expect(completed).toMatchObject({ received_amount_cents: 2500, overpaid_amount_cents: 250 });
  expect(completed.payments.map(({ amount }) => amount).toSorted()).toEqual(['10000000', '17500000']);
});

it('shows a payment in another token than the ordered one, and does not count it', async () => {
  const intent = await intentWithAddress(api, { network: 'tron', token: 'USDT' });
  await payIn(intent.id, { token: 'USDC', amount: '25' });
  const reason = await eventually(
    async () => {
      const [row] = await query<{ unattributed_reason: string | null }>(
        world.database,
        `select unattributed_reason from deposit where to_address = $1 and status = 'confirmed'`,
        [addressOf(intent)],
      );
      return row?.unattributed_reason ?? null;
    },
    (found) => found !== null,
  );
  expect(reason).toBe('other_token');
  expect(await getIntent(api, intent.id)).toMatchObject({ status: 'requires_action', received_amount_cents: 0 });
});

it('ends an intent as underpaid at its deadline, and credits what came', async () => {
  const intent = await intentWithAddress(api, { network: 'tron', token: 'USDT' });
  await payIn(intent.id, { amount: '10' });
  await untilStatus(api, intent.id, 'processing');
  expect((await expire(api, intent.id)).status).toBe(200);
  expect(await untilStatus(api, intent.id, 'failed')).toMatchObject({ failure_code: 'underpaid' });
  await eventually(
    async () => pocketOf(api, 'tron', 'USDT'),
    (pocket) => pocket?.available_cents === 1000,
  );
});
