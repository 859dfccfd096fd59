import { generateKeyPairSigner } from '@solana/kit';
import type { EventBody } from '../../src/events/event-envelope.js';
import type { NetworkObject } from '../../src/offers/network.schema.js';
import type { ExplanationObject } from '../../src/explain/explanation.schema.js';
import type { WithdrawalObject, WithdrawalPreviewObject } from '../../src/withdrawals/withdrawal.schema.js';
import type { ApiClient } from '../support/api-client.js';
import { solanaDevAccount } from '../../src/devtools/devnet/solana/solana-dev-accounts.js';
import { listAddress } from '../support/listed-address.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';
import { addressOf, getIntent, intentWithAddress, untilStatus } from './intents.js';
import { type List, newMerchant, pocketOf, untilEvents } from './paying.js';
import { refusalOf } from './refusal.js';

const WALLET = 'oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96';

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

it('shows solana with its tokens, and the smallest payment of SOL as the chain demands it', async () => {
  const solana = await eventually(
    async () => {
      const { body } = await api.get<List<NetworkObject>>('/v1/networks');
      return body.data.find(({ network }) => network === 'solana');
    },
    (found) => found?.tokens.some(({ minimum_amount: minimum }) => minimum === '650240') === true,
  );
  expect(solana).toMatchObject({
    status: 'ok',
    confirmations: 8,
    chain_id: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/),
  });
  expect(solana?.tokens).toEqual([
    { token: 'SOL', contract: null, decimals: 9, minor_unit_exponent: 8, minimum_amount: '650240', enabled: true },
    ...['USDC', 'USDT'].map((token) => ({
      token,
      contract: expect.any(String),
      decimals: 6,
      minor_unit_exponent: 2,
      minimum_amount: null,
      enabled: true,
    })),
  ]);
});

it.each([
  ['USDC', '25000000', 2500],
  ['SOL', '166666667', 16_666_666],
])(
  'collects %s: seen, final, credited, with its events and its explanation [spec 3.1 processing completed]',
  async (token, units, minorUnits) => {
    const intent = await intentWithAddress(api, { network: 'solana', token });
    const address = addressOf(intent);
    expect(intent).toMatchObject({ crypto_amount: units, token_decimals: token === 'SOL' ? 9 : 6 });
    const amount = token === 'SOL' ? '0.166666667' : '25';
    const mint =
      token === 'SOL'
        ? ''
        : expect.stringMatching(new RegExp(`^solana:${address}\\?amount=${amount}&spl-token=\\w{43,44}$`));
    expect(intent.payment_uri).toEqual(token === 'SOL' ? `solana:${address}?amount=${amount}` : mint);
    expect((await payIn(intent.id)).status).toBe(202);
    const completed = await untilStatus(api, intent.id, 'completed');
    expect(completed).toMatchObject({
      received_amount_cents: 2500,
      remaining_amount_cents: 0,
      overpaid_amount_cents: 0,
    });
    expect(completed.payments).toEqual([
      expect.objectContaining({
        tx_hash: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/),
        amount: units,
        status: 'confirmed',
        required_confirmations: 8,
      }),
    ]);
    // More blocks may be on top by the time that it shows.
    expect(completed.payments[0]?.confirmations).toBeGreaterThanOrEqual(8);
    expect(await pocketOf(api, 'solana', token)).toMatchObject({
      available_cents: minorUnits,
      available_amount: units,
    });
    expect(await untilEvents(api, 3)).toEqual(expect.arrayContaining(['processing', 'completed', 'payment_received']));
    const { body } = await api.get<ExplanationObject>(`/v1/payment-intents/${intent.id}/explain`);
    expect(JSON.stringify(body)).toContain('solana');
    const found = await api.get<List<{ id: string }>>(`/v1/payment-intents?tx_hash=${completed.payments[0]?.tx_hash}`);
    expect(found.body.data.map(({ id }) => id)).toEqual([intent.id]);
  },
);

it('refuses less SOL than a new address can receive [A-7]', async () => {
  const answer = await api.post('/v1/payment-intents', {
    amount_cents: 9,
    currency: 'USD',
    network: 'solana',
    token: 'SOL',
  });
  expect(refusalOf(answer)).toEqual({ status: 400, code: 'invalid_request', param: 'amount_cents' });
});

describe('a withdrawal', () => {
  const order = (pocketId: string, destination: string, more: object = {}) =>
    api.post<WithdrawalPreviewObject>('/v1/withdrawals', {
      pocket_id: pocketId,
      amount_cents: 100,
      destination,
      ...more,
    });

  it('from a network to an address of another is refused, with the network that it belongs to [spec 7 address_network_mismatch]', async () => {
    const [solana, polygon] = [await pocketOf(api, 'solana'), await pocketOf(api, 'polygon')];
    const cases = [
      [solana, '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 'an address of Ethereum and its like'],
      [solana, 'TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre', 'an address of tron'],
      [polygon, WALLET, 'an address of solana'],
    ] as const;
    for (const [pocket, destination, owner] of cases) {
      const answer = await order(pocket?.id ?? '', destination);
      expect(refusalOf(answer)).toEqual({ status: 400, code: 'address_network_mismatch', param: 'destination' });
      expect(JSON.stringify(answer.body)).toContain(owner);
    }
  });

  it('from solana to a mint of ours, the system program or a token account is refused', async () => {
    const pocket = await pocketOf(api, 'solana');
    const [token] = await query<{ contract: string }>(
      world.database,
      `select contract from chain_token where symbol = 'USDC' and contract not like '0x%'`,
    );
    for (const destination of [token?.contract ?? '', '1'.repeat(32), '8XXncUd6hJ6JUbVm124sDVwRwNKKZK1A4Yb4Wp7uCTyC']) {
      expect(refusalOf(await order(pocket?.id ?? '', destination))).toMatchObject({ code: 'address_network_mismatch' });
    }
  });

  it('of less SOL than an address without funds can receive is refused, and to another address it is not', async () => {
    const pocket = await pocketOf(api, 'solana', 'SOL');
    const small = { amount_cents: 65_023, dry_run: true };
    const { address } = await generateKeyPairSigner();
    const unfunded = await order(pocket?.id ?? '', address, small);
    expect(unfunded.body.failing_checks[0]).toMatchObject({ code: 'invalid_request', param: 'amount_cents' });
    const funded = await order(pocket?.id ?? '', solanaDevAccount('faucet').address, small);
    expect(funded.body.failing_checks.map(({ code }) => code)).toEqual(['insufficient_balance']);
  });

  it('from solana to a wallet is paid out on the chain, with its event [spec 6.1 withdrawal.completed]', async () => {
    const intent = await intentWithAddress(api, { network: 'solana', token: 'USDC' });
    await payIn(intent.id);
    await untilStatus(api, intent.id, 'completed');
    const pocket = await pocketOf(api, 'solana');
    const preview = await order(pocket?.id ?? '', WALLET, { dry_run: true });
    expect(preview.body).toMatchObject({ would_succeed: true, failing_checks: [] });
    const { status, body } = await api.post<WithdrawalObject>('/v1/withdrawals', {
      pocket_id: pocket?.id,
      amount_cents: 100,
      destination: WALLET,
    });
    expect([status, body.status, body.tx_hash]).toEqual([202, 'broadcasting', null]);
    const completed = await eventually(
      async () => (await api.get<WithdrawalObject>(`/v1/withdrawals/${body.id}`)).body,
      (now) => now.status === 'completed',
      60_000,
    );
    expect(completed.tx_hash).toMatch(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/);
    const events = await eventually(
      async () => (await api.get<List<EventBody>>('/v1/events?event_type=withdrawal.completed')).body.data,
      (found) => found.length > 0,
    );
    expect(events).toMatchObject([{ data: { id: body.id, tx_hash: completed.tx_hash } }]);
    const left = 2_500 - 100 - body.network_fee_cents;
    expect(await pocketOf(api, 'solana')).toMatchObject({ available_cents: left, held_cents: 0 });
  });
});

// The last: nothing else can be paid from the listed wallet.
it('holds a payment whose sender is on the sanctions list: it is in no pocket', async () => {
  await listAddress(world.owner, solanaDevAccount('sandboxPayer').address, 'solana');
  const intent = await intentWithAddress(api, { network: 'solana', token: 'USDC' });
  await payIn(intent.id);
  const held = await eventually(
    async () => getIntent(api, intent.id),
    ({ payments, received_amount_cents: cents }) => payments[0]?.status === 'on_hold' && cents === 0,
  );
  expect(held.status).toBe('processing');
  expect(await pocketOf(api, 'solana')).toMatchObject({ available_cents: 0, pending_cents: 0 });
});
