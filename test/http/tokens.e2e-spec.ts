import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import type { PocketObject } from '../../src/ledger/pocket.schema.js';
import type { SandboxPaymentObject } from '../../src/sandbox/sandbox.schema.js';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { expectBooksInOrder } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';
import { expectDemo } from './demo-run.js';
import { addressOf, getIntent, intentWithAddress, untilStatus } from './intents.js';
import { type List, newMerchant, pocketOf } from './paying.js';
import { refusalOf } from './refusal.js';

const NETWORKS = ['ethereum', 'bnb'] as const;

let world: World;
beforeAll(async () => {
  world = await startWorld({ networks: NETWORKS });
});
afterAll(() => world.stop());
afterEach(() => expectBooksInOrder(world.database));

const payFromSandbox = (api: ApiClient, id: string, body: object = {}): Promise<ApiAnswer<SandboxPaymentObject>> =>
  api.post<SandboxPaymentObject>(`/v1/sandbox/payment-intents/${id}/pay`, body);

interface Sale {
  readonly network: (typeof NETWORKS)[number];
  readonly token: string;
  /** The amount for 25.01 US dollars at the fixed price. */
  readonly decimal: string;
  readonly decimals: number;
  readonly priceCents: number;
  /** In the pocket afterwards, in its minor units. */
  readonly pocketCents: number;
}

const SALES: readonly Sale[] = [
  { network: 'ethereum', token: 'USDT', decimal: '25.01', decimals: 6, priceCents: 100, pocketCents: 2501 },
  { network: 'bnb', token: 'USDT', decimal: '25.01', decimals: 18, priceCents: 100, pocketCents: 2501 },
  {
    network: 'ethereum',
    token: 'ETH',
    decimal: '0.008336666666666667',
    decimals: 18,
    priceCents: 300_000,
    pocketCents: 833_666,
  },
  {
    network: 'bnb',
    token: 'BNB',
    decimal: '0.041683333333333334',
    decimals: 18,
    priceCents: 60_000,
    pocketCents: 4_168_333,
  },
];

describe('an intent in another token than USDC', () => {
  it.each(SALES)(
    'is quoted, paid, completed and credited exactly: $token on $network [spec 4.2 rule 2] [E-60] [H-104]',
    async ({ network, token, decimal, decimals, priceCents, pocketCents }) => {
      const api = await newMerchant(world);
      const intent = await intentWithAddress(api, { network, token, amount_cents: 2501 });
      expect(intent).toMatchObject({
        token_decimals: decimals,
        crypto_amount_decimal: decimal,
        token_price_cents: priceCents,
      });
      const order = await payFromSandbox(api, intent.id);
      expect(order).toMatchObject({ status: 202, body: { network, token, amount: intent.crypto_amount } });
      const completed = await untilStatus(api, intent.id, 'completed');
      expect(completed).toMatchObject({
        received_amount_cents: 2501,
        overpaid_amount_cents: 0,
        received_crypto_amount: intent.crypto_amount,
        payments: [{ amount_decimal: decimal, status: 'confirmed' }],
      });
      const pocket = await eventually(async () => {
        const found = await pocketOf(api, network, token);
        return found?.available_amount === intent.crypto_amount ? found : null;
      });
      expect(pocket).toMatchObject({ token_decimals: decimals, available_cents: pocketCents, pending_cents: 0 });
    },
  );

  it("asks for the chain's own coin by a link that wallets open [spec 2.1]", async () => {
    const intent = await intentWithAddress(world.api, { network: 'ethereum', token: 'ETH' });
    const { chainId } = world.chain('ethereum').chain;
    expect(intent.payment_uri).toBe(`ethereum:${addressOf(intent)}@${chainId}?value=8333333333333334`);
  });

  it('is paid by stored bytes, also in the coin: the address holds what was ordered, once', async () => {
    const intent = await intentWithAddress(world.api, { network: 'ethereum', token: 'ETH' });
    const { body } = await payFromSandbox(world.api, intent.id, { amount: '0.001' });
    const sent = await eventually(async () => {
      const [row] = await query<{ tx_hash: string; raw_transaction: string }>(
        world.database,
        `select tx_hash, raw_transaction from sandbox_payment where id = $1 and status = 'sent'`,
        [body.id],
      );
      return row;
    });
    const chain = world.chain('ethereum');
    expect(await chain.waitUntilMined(sent.tx_hash)).toMatchObject({ succeeded: true, logIndexes: [] });
    expect(await chain.balance(null, addressOf(intent))).toBe(10n ** 15n);
  });
});

describe('another token than the one asked for', () => {
  it.each([
    ['USDC', 'USDT', 'ethereum'],
    ['USDT', 'USDC', 'bnb'],
  ] as const)(
    'is kept in suspense and credited to no merchant: an intent in %s paid in %s on %s [G-95]',
    async (token, other, network) => {
      const api = await newMerchant(world);
      const intent = await intentWithAddress(api, { network, token });
      expect(refusalOf(await payFromSandbox(api, intent.id, { token: other }))).toEqual({
        status: 400,
        code: 'invalid_request',
        param: 'amount',
      });
      expect((await payFromSandbox(api, intent.id, { token: other, amount: '25' })).status).toBe(202);
      const deposits = await eventually(
        async () => {
          const rows = await query(
            world.database,
            `select amount, intent_id, unattributed_reason, held_as from deposit
            where to_address = lower($1) and credited_at is not null`,
            [addressOf(intent)],
          );
          return rows;
        },
        (rows) => rows.length > 0,
      );
      expect(deposits).toEqual([
        { amount: intent.crypto_amount, intent_id: null, unattributed_reason: 'other_token', held_as: 'suspense' },
      ]);
      await expectUntouched(api, intent);
      await payFromSandbox(api, intent.id);
      await untilStatus(api, intent.id, 'completed');
    },
  );

  async function expectUntouched(api: ApiClient, intent: PaymentIntentObject): Promise<void> {
    expect(await getIntent(api, intent.id)).toEqual(intent);
    const { body } = await api.get<List<PocketObject>>('/v1/pockets?limit=100');
    expect(body.data.filter(({ available_amount: held }) => held !== '0')).toEqual([]);
  }
});

describe('a merchant', () => {
  it('has a pocket for every token and coin on offer from the beginning [api]', async () => {
    const { body } = await world.api.get<List<PocketObject>>('/v1/pockets?limit=100');
    expect(body.data.map(({ network, token }) => `${network} ${token}`).toSorted()).toEqual([
      'bnb BNB',
      'bnb USDC',
      'bnb USDT',
      'ethereum ETH',
      'ethereum USDC',
      'ethereum USDT',
    ]);
  });
});

// In a token: `demo.soak-spec.ts`.
it('npm run demo sees a payment in a coin through, from the intent to a verified webhook of its withdrawal', () =>
  expectDemo(world, 'bnb', 'BNB'));
