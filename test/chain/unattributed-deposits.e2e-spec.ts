import type { ExplanationObject } from '../../src/explain/explanation.schema.js';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import { addressOf, getIntent, intentWithAddress, untilStatus } from '../http/intents.js';
import { BNB_FINALITY, type BnbTestnet } from '../support/bnb-testnet.js';
import { eventsOf, expectBooksInOrder, pocketOf } from '../support/books.js';
import { runCommand } from '../support/cli-run.js';
import { listExactly } from '../support/listed-senders.js';
import { ProbeContract } from '../support/probe-contracts.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import type { World } from '../support/world.js';
import { WatchedTestnet } from './watched-testnet.js';
import { untilRead } from './watching.js';

const DECIMALS = 18;
const STRANGER = '0x00000000000000000000000000000000000000aa';
const LISTED = '0x00000000000000000000000000000000000000Ad';

const ONE_USDC = 10n ** 18n;

let watched: WatchedTestnet;
let world: World;
let testnet: BnbTestnet;
/** The listed token. */
let usdc: ProbeContract;
let batcher: ProbeContract;

beforeAll(async () => {
  watched = await WatchedTestnet.start();
  ({ world, testnet } = watched);
  const listed = testnet.controls.chain.tokens['USDC']?.address ?? '';
  usdc = ProbeContract.at(testnet.node, 'ProbeToken', listed);
  batcher = await ProbeContract.deploy(testnet.node, 'Batcher');
});
afterAll(() => watched.stop());
afterEach(() => expectBooksInOrder(world.database));

const due = (intent: PaymentIntentObject): bigint => BigInt(intent.crypto_amount ?? 0);

async function makeFinal(): Promise<void> {
  await testnet.controls.mine(BNB_FINALITY);
  await untilRead(world, testnet);
}

interface Stored {
  id: string;
  amount: string;
  status: string;
  intent_id: string | null;
  unattributed_reason: string | null;
  held_as: string | null;
}

/** All stored deposits of an address. */
function depositsAt(address: string): Promise<Stored[]> {
  return query<Stored>(
    world.database,
    `select id, amount, status, intent_id, unattributed_reason, held_as
       from deposit where to_address = lower($1) order by amount`,
    [address],
  );
}

/** Decides about a deposit as staff do; returns the id of the pocket that has the money now. */
async function staff(verb: string, deposit: Stored | undefined, ...args: readonly string[]): Promise<string> {
  const command = ['deposits', verb, deposit?.id ?? '', ...args, '--reason', 'a test'];
  // Nothing is given out before the chain was asked what the hot wallet has sent: no worker here has a node.
  const environment = { DATABASE_URL: world.databaseUrl, SANDBOX_BNB_RPC_URL: testnet.url };
  const { code, out, err } = await runCommand(command, environment);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return /pkt_\w+/.exec(out)?.[0] ?? '';
}

/** The newest booking on a pocket, as the merchant sees it. */
async function expectGiven(pocketId: string, kind: string, amount: bigint): Promise<void> {
  const { body } = await world.api.get<{ data: object[] }>(`/v1/pockets/${pocketId}/entries`);
  expect(body.data[0]).toMatchObject({ kind, amount: String(amount) });
}

describe('what is no money', () => {
  it.each<[string, (to: string, amount: bigint) => Promise<unknown>]>([
    [
      'an unlisted token that calls itself USDC [G-83]',
      async (to, amount) =>
        (await ProbeContract.deploy(testnet.node, 'ProbeToken', DECIMALS)).send('transfer', to, amount),
    ],
    ['a transfer whose transaction failed [G-84]', (to, amount) => usdc.send('transferAndRevert', to, amount)],
    ['a transfer that the token declined by returning false [G-85]', (to, amount) => usdc.send('decline', to, amount)],
    ['the Transfer of an NFT, with a fourth topic [G-86]', (to, amount) => usdc.send('transferNft', to, amount)],
    ['a Transfer with dirty bytes before the recipient [G-86]', (to, amount) => usdc.send('transferDirty', to, amount)],
    ['a transfer of nothing [G-87]', (to) => usdc.send('transfer', to, 0n)],
    ['a transfer of nothing in the name of the customer [G-87]', (to) => usdc.send('transferFrom', STRANGER, to, 0n)],
  ])('leaves no trace: %s', async (_what, send) => {
    const intent = await watched.intent();
    await send(addressOf(intent), due(intent));
    await makeFinal();
    expect(await depositsAt(addressOf(intent))).toEqual([]);
    expect(await getIntent(world.api, intent.id)).toMatchObject({ status: 'requires_action', payments: [] });
  });
});

describe('money that comes in unusual ways', () => {
  it('counts for each recipient alone when one transaction holds 50 transfers of two tokens [G-88] [G-89]', async () => {
    const [one, two] = [await watched.intent(), await watched.intent()];
    const unlisted = await ProbeContract.deploy(testnet.node, 'ProbeToken', DECIMALS);
    const transfers = [
      ...Array.from({ length: 20 }, () => [usdc.address, addressOf(one), due(one) / 20n] as const),
      ...Array.from({ length: 10 }, () => [unlisted.address, addressOf(one), due(one)] as const),
      ...Array.from({ length: 15 }, () => [usdc.address, addressOf(two), due(two) / 20n] as const),
      ...Array.from({ length: 5 }, () => [usdc.address, STRANGER, due(two)] as const),
    ];
    const { txHash } = await batcher.send('pay', ...[0, 1, 2].map((column) => transfers.map((row) => row[column])));
    await makeFinal();
    const paid = await untilStatus(world.api, one.id, 'completed');
    expect(paid).toMatchObject({ received_crypto_amount: one.crypto_amount, overpaid_amount_cents: 0 });
    expect(new Set(paid.payments.map(({ tx_hash }) => tx_hash))).toEqual(new Set([txHash]));
    expect(paid.payments).toHaveLength(20);
    const half = await eventually(
      async () => {
        const shown = await getIntent(world.api, two.id);
        return shown;
      },
      (shown) => shown.received_amount_cents === 1875,
    );
    expect(half).toMatchObject({ status: 'processing', received_amount_cents: 1875, remaining_amount_cents: 625 });
    expect(half.payments).toHaveLength(15);
  });

  it('counts transfers that a third party sends for the customer [G-89]', async () => {
    const intent = await watched.intent();
    await usdc.send('transferFrom', STRANGER, addressOf(intent), due(intent));
    await makeFinal();
    await untilStatus(world.api, intent.id, 'completed');
  });

  it('is kept in suspense, and credited to no merchant, when the right token comes on another network [G-95]', async () => {
    const intent = await intentWithAddress(world.api, { network: 'polygon' });
    await usdc.send('transfer', addressOf(intent), due(intent));
    await makeFinal();
    await expectBooksInOrder(world.database);
    const [deposit, ...more] = await depositsAt(addressOf(intent));
    expect([deposit, more]).toEqual([
      {
        id: expect.any(String),
        amount: intent.crypto_amount,
        status: 'confirmed',
        intent_id: null,
        unattributed_reason: 'other_network',
        held_as: 'suspense',
      },
      [],
    ]);
    expect(await getIntent(world.api, intent.id)).toMatchObject({ status: 'requires_action', payments: [] });
    await expectGiven(await staff('resolve', deposit, '--merchant', world.merchantId), 'resolution', due(intent));
  });

  it('is on hold when it comes from a sanctioned sender, and pays once staff release it [G-98]', async () => {
    await listExactly(world.database, LISTED);
    const intent = await watched.intent();
    await usdc.send('transferFrom', LISTED, addressOf(intent), due(intent));
    await makeFinal();
    await eventually(async () => (await eventsOf(world.database, intent.id)).includes('on_hold'));
    const shown = await getIntent(world.api, intent.id);
    expect(shown).toMatchObject({ status: 'processing', received_amount_cents: 0, payments: [{ status: 'on_hold' }] });
    const { body } = await world.api.get<ExplanationObject>(`/v1/payment-intents/${intent.id}/explain`);
    expect(body.verdict.code).toBe('payment_on_hold');
    const [deposit] = await depositsAt(addressOf(intent));
    expect(deposit).toMatchObject({ intent_id: intent.id, held_as: 'frozen' });
    const before = await pocketOf(world.database, world.merchantId, 'bnb');
    await expectGiven(await staff('release', deposit), 'release', due(intent));
    expect((await pocketOf(world.database, world.merchantId, 'bnb')) - before).toBe(due(intent));
    expect(await getIntent(world.api, intent.id)).toMatchObject({
      status: 'completed',
      payments: [{ status: 'confirmed', late: false }],
    });
  });

  it('takes an address out of the pool for good when it arrives before the address was assigned [G-97]', async () => {
    const [next] = await query<{ address: string }>(
      world.database,
      `select address from pool_address where intent_id is null and retired_at is null order by id limit 1`,
    );
    const address = next?.address ?? '';
    await usdc.send('transfer', address, 5n);
    await makeFinal();
    await expectBooksInOrder(world.database);
    expect(await depositsAt(address)).toMatchObject([
      { unattributed_reason: 'address_not_assigned', held_as: 'suspense' },
    ]);
    const given = await Promise.all(Array.from({ length: 5 }, () => watched.intent()));
    expect(given.map(addressOf)).not.toContain(address);
  });
});

describe('money that comes too late', () => {
  /** The ways to end an intent, by the status it ends in. */
  const ENDINGS: Readonly<Record<'completed' | 'expired' | 'failed', (intent: PaymentIntentObject) => Promise<void>>> =
    {
      completed: async (intent) => {
        await usdc.send('transfer', addressOf(intent), due(intent));
        await makeFinal();
      },
      expired: expire,
      failed: async (intent) => {
        await usdc.send('transfer', addressOf(intent), due(intent) / 2n);
        await makeFinal();
        await untilStatus(world.api, intent.id, 'processing');
        await expire(intent);
      },
    };

  async function expire({ id }: PaymentIntentObject): Promise<void> {
    await world.api.post(`/v1/sandbox/payment-intents/${id}/expire`);
    const { time } = await testnet.node.head();
    await testnet.controls.setNextBlockTime(new Date(Math.max(Date.now(), time.getTime()) + 2_000));
    await testnet.controls.mine();
  }

  it.each(['completed', 'expired', 'failed'] as const)(
    'reaches the pocket and is flagged, and an intent that is %s stays as it is [G-97] [E-52]',
    async (status) => {
      const intent = await watched.intent();
      await ENDINGS[status](intent);
      const ended = await untilStatus(world.api, intent.id, status);
      const pocket = await pocketOf(world.database, world.merchantId, 'bnb');
      const events = await eventsOf(world.database, intent.id);

      const late = await usdc.send('transfer', addressOf(intent), ONE_USDC);
      await makeFinal();
      await expectBooksInOrder(world.database);
      expect((await pocketOf(world.database, world.merchantId, 'bnb')) - pocket).toBe(ONE_USDC);
      const { payments, ...rest } = await getIntent(world.api, intent.id);
      const { payments: before, ...expected } = ended;
      expect(rest).toEqual(expected);
      expect(payments).toHaveLength(before.length + 1);
      expect(payments.find(({ tx_hash }) => tx_hash === late.txHash)).toMatchObject({
        amount: String(ONE_USDC),
        late: true,
      });
      expect(await eventsOf(world.database, intent.id)).toEqual([...events, 'payment_received']);
    },
  );
});
