import { randomBytes } from 'node:crypto';
import type { EventBody } from '../../src/events/event-envelope.js';
import { auditChains } from '../../src/cli/chain-audit.js';
import { tronAddressOf } from '../../src/devtools/devnet/tron/tron-dev-accounts.js';
import type { WithdrawalObject, WithdrawalPreviewObject } from '../../src/withdrawals/withdrawal.schema.js';
import { TreasuryChains } from '../../src/treasury/treasury-chains.service.js';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';
import { addressOf, getIntent, intentWithAddress, untilStatus } from './intents.js';
import { expire, type List, newMerchant, pocketOf } from './paying.js';

// The cases beside those of `tron.e2e-spec.ts`; `test/matrix/collecting.ts` has the kinds of payments.

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

it.each([
  ['USDT', 100],
  ['TRX', 2_000_000],
])(
  'a withdrawal of %s is paid out on the chain, with its event [spec 6.1 withdrawal.completed]',
  async (token, amount) => {
    const intent = await intentWithAddress(api, { network: 'tron', token });
    await payIn(intent.id);
    await untilStatus(api, intent.id, 'completed');
    const pocket = await pocketOf(api, 'tron', token);
    // An address that was never activated: who sends TRX to it pays for its account.
    const destination = tronAddressOf(randomBytes(32));
    const order = { pocket_id: pocket?.id, destination, amount_cents: amount };
    const preview = await api.post<WithdrawalPreviewObject>('/v1/withdrawals', { ...order, dry_run: true });
    expect(preview.body).toMatchObject({ would_succeed: true, failing_checks: [] });
    const { status, body } = await api.post<WithdrawalObject>('/v1/withdrawals', order);
    expect([status, body.status, body.tx_hash]).toEqual([202, 'broadcasting', null]);
    const completed = await eventually(
      async () => (await api.get<WithdrawalObject>(`/v1/withdrawals/${body.id}`)).body,
      (now) => now.status === 'completed',
      60_000,
    );
    expect(completed.tx_hash).toMatch(/^[0-9a-f]{64}$/);
    const events = await eventually(
      async () => (await api.get<List<EventBody>>('/v1/events?event_type=withdrawal.completed')).body.data,
      (found) => found.length > 0,
    );
    expect(events).toMatchObject([{ data: { id: body.id, tx_hash: completed.tx_hash } }]);
    const left = (pocket?.available_cents ?? 0) - amount - body.network_fee_cents;
    expect(await pocketOf(api, 'tron', token)).toMatchObject({ available_cents: left, held_cents: 0 });
  },
);

it('the books agree with the chain in every rule, and a deposit that no block has is found', async () => {
  const intent = await intentWithAddress(api, { network: 'tron', token: 'USDT' });
  await payIn(intent.id);
  const { payments } = await untilStatus(api, intent.id, 'completed');
  const dev = world.service.stack?.devChains.find((chain) => chain.network === 'tron');
  /** The rules of tron, once the hot wallet is booked; balances are read between two blocks, which come every 50 ms here. */
  const audited = async () => {
    const { rules } = await eventually(
      async () => {
        await dev?.controls.pause();
        const audit = await auditChains(world.database, world.service.get(TreasuryChains), () => undefined);
        await dev?.controls.resume();
        return audit;
      },
      ({ unasked }) => unasked.length === 0,
      60_000,
    );
    return rules.filter(({ rule }) => rule.startsWith('sandbox/tron')).map(({ name, finding }) => [name, finding]);
  };
  expect(await audited()).toEqual([
    ['deposits_are_on_chain', null],
    ['addresses_hold_deposits', null],
    ['hot_wallet_holds_books', null],
    ['energy_is_lent_as_booked', null],
    ['payments_are_on_chain', null],
  ]);
  const forge = (from: string, to: string) =>
    world.owner.transaction(async (tx) => {
      await query(tx, `set local session_replication_role = replica`);
      await query(tx, `update deposit set tx_hash = $2 where tx_hash = $1`, [from, to]);
    });
  const [real, forged] = [payments[0]?.tx_hash ?? '', 'ab'.repeat(32)];
  await forge(real, forged);
  expect(await audited()).toContainEqual([
    'deposits_are_on_chain',
    { row: `deposit ${payments[0]?.id}`, says: expect.stringContaining('has no such transfer') },
  ]);
  await forge(forged, real);
});
