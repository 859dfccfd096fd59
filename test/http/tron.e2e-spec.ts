import type { ExplanationObject } from '../../src/explain/explanation.schema.js';
import type { NetworkObject } from '../../src/offers/network.schema.js';
import { tronDevAccount } from '../../src/devtools/devnet/tron/tron-dev-accounts.js';
import type { WithdrawalPreviewObject } from '../../src/withdrawals/withdrawal.schema.js';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { listAddress } from '../support/listed-address.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';
import { addressOf, getIntent, intentWithAddress, untilStatus } from './intents.js';
import { type List, newMerchant, pocketOf, untilEvents } from './paying.js';
import { refusalOf } from './refusal.js';

const WALLET = 'TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre';

// Withdrawals that are paid, and the audit of the chain: `tron.soak-spec.ts`.

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

it('shows tron with its tokens, all of six decimals, and no smallest payment', async () => {
  const { body } = await api.get<List<NetworkObject>>('/v1/networks');
  const tron = body.data.find(({ network }) => network === 'tron');
  expect(tron).toMatchObject({
    status: 'ok',
    confirmations: 2,
    chain_id: expect.stringMatching(/^0{16}[0-9a-f]{48}$/),
  });
  const token = { decimals: 6, minimum_amount: null, enabled: true };
  expect(tron?.tokens).toEqual([
    { token: 'TRX', contract: null, minor_unit_exponent: 6, ...token },
    ...['USDC', 'USDT'].map((symbol) => ({
      token: symbol,
      contract: expect.stringMatching(/^T\w{33}$/),
      minor_unit_exponent: 2,
      ...token,
    })),
  ]);
});

it.each([
  ['USDT', '25000000', 2500],
  ['TRX', '100000000', 100_000_000],
])(
  'collects %s: seen, final, credited, with its events and its explanation [spec 3.1 processing completed]',
  async (token, units, minorUnits) => {
    const intent = await intentWithAddress(api, { network: 'tron', token });
    const address = addressOf(intent);
    expect(intent).toMatchObject({ crypto_amount: units, token_decimals: 6, payment_uri: address });
    expect(address).toMatch(/^T[1-9A-HJ-NP-Za-km-z]{33}$/);
    expect((await payIn(intent.id)).status).toBe(202);
    const completed = await untilStatus(api, intent.id, 'completed');
    expect(completed).toMatchObject({
      received_amount_cents: 2500,
      remaining_amount_cents: 0,
      overpaid_amount_cents: 0,
    });
    expect(completed.payments).toEqual([
      expect.objectContaining({
        tx_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        from_address: tronDevAccount('sandboxPayer').address,
        amount: units,
        status: 'confirmed',
        required_confirmations: 2,
      }),
    ]);
    expect(await pocketOf(api, 'tron', token)).toMatchObject({ available_cents: minorUnits, available_amount: units });
    expect(await untilEvents(api, 3)).toEqual(expect.arrayContaining(['processing', 'completed', 'payment_received']));
    const { body } = await api.get<ExplanationObject>(`/v1/payment-intents/${intent.id}/explain`);
    expect(JSON.stringify(body)).toContain('tron');
    const found = await api.get<List<{ id: string }>>(`/v1/payment-intents?tx_hash=${completed.payments[0]?.tx_hash}`);
    expect(found.body.data.map(({ id }) => id)).toEqual([intent.id]);
  },
);

describe('a withdrawal', () => {
  const order = (pocketId: string, destination: string, more: object = {}) =>
    api.post<WithdrawalPreviewObject>('/v1/withdrawals', {
      pocket_id: pocketId,
      amount_cents: 100,
      destination,
      ...more,
    });

  it('between tron and another network is refused, with the network of the address [spec 7 address_network_mismatch]', async () => {
    const [tron, polygon] = [await pocketOf(api, 'tron'), await pocketOf(api, 'polygon')];
    const cases = [
      [tron, '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 'an address of Ethereum and its like'],
      [tron, 'oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96', 'an address of solana'],
      [tron, '41a614f803b6fd780986a42c78ec9c7f77e6ded13c', 'in hexadecimal form'],
      [polygon, WALLET, 'an address of tron'],
    ] as const;
    for (const [pocket, destination, reason] of cases) {
      const answer = await order(pocket?.id ?? '', destination);
      expect(refusalOf(answer)).toEqual({ status: 400, code: 'address_network_mismatch', param: 'destination' });
      expect(JSON.stringify(answer.body)).toContain(reason);
    }
  });

  it('from tron to a token contract, our hot wallet, the black hole or the zero address is refused', async () => {
    const pocket = await pocketOf(api, 'tron');
    const tokens = await query<{ contract: string }>(
      world.database,
      `select contract from chain_token where contract like 'T%'`,
    );
    expect(tokens).toHaveLength(2);
    const [wallet] = await query<{ address: string }>(
      world.database,
      `select address from hot_wallet where chain_ref like 'sandbox-tron-%'`,
    );
    expect(wallet?.address).toMatch(/^T/);
    const refused = [
      ...tokens.map(({ contract }) => contract),
      wallet?.address ?? '',
      'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy',
      'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb',
    ];
    for (const destination of refused) {
      const answer = refusalOf(await order(pocket?.id ?? '', destination));
      expect([destination, answer]).toMatchObject([destination, { code: 'address_network_mismatch' }]);
    }
  });

  it('to a listed address is refused [spec 7 address_blocked]', async () => {
    const pocket = await pocketOf(api, 'tron');
    const listed = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
    await listAddress(world.owner, listed, 'tron');
    expect(refusalOf(await order(pocket?.id ?? '', listed))).toMatchObject({ code: 'address_blocked' });
  });
});

// The last: nothing else can be paid from the listed wallet.
it('holds a payment whose sender is on the sanctions list: it is in no pocket', async () => {
  await listAddress(world.owner, tronDevAccount('sandboxPayer').address, 'tron');
  const intent = await intentWithAddress(api, { network: 'tron', token: 'USDT' });
  await payIn(intent.id);
  const held = await eventually(
    async () => getIntent(api, intent.id),
    ({ payments, received_amount_cents: cents }) => payments[0]?.status === 'on_hold' && cents === 0,
  );
  expect(['requires_action', 'processing']).toContain(held.status);
  expect(await pocketOf(api, 'tron', 'USDT')).toMatchObject({ available_cents: 0, pending_cents: 0 });
});
