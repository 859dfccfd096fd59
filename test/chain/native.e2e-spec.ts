import { z } from 'zod';
import type { DevChainControls } from '../support/dev-chain-controls.js';
import type { ExplanationObject } from '../../src/explain/explanation.schema.js';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import { addressOf, getIntent, intentWithAddress, untilStatus } from '../http/intents.js';
import { FINAL_DEPTH, newMerchant, pocketOf } from '../http/paying.js';
import type { ApiClient } from '../support/api-client.js';
import { eventsOf, expectBooksInOrder } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { hexOf, type Mined, minedTransaction, ProbeContract, sendTransaction } from '../support/probe-contracts.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';
import { progressOf } from './watching.js';

/** Code that reverts whatever is sent to it. */
const REFUSING_CODE = '0x60006000fd';

let world: World;
let polygon: DevChainControls;
let purse: ProbeContract;
/** A merchant of its own for each test, so that its pocket is the test's alone. */
let api: ApiClient;

beforeAll(async () => {
  // Only the test mines, so it decides when a payment is final.
  world = await startWorld({ networks: ['polygon', 'bnb'], env: { DEV_BLOCK_INTERVAL_MS: '0' } });
  polygon = world.chain('polygon');
  purse = await ProbeContract.deploy(polygon, 'Purse');
});
afterAll(() => world.stop());
beforeEach(async () => {
  api = await newMerchant(world);
});
afterEach(() => expectBooksInOrder(world.database));

/** 25 US dollars in POL at the fixed price. */
const intentInCoin = (): Promise<PaymentIntentObject> => intentWithAddress(api, { network: 'polygon', token: 'POL' });
const due = (intent: PaymentIntentObject): bigint => BigInt(intent.crypto_amount ?? 0);
const total = (values: readonly bigint[]): bigint => values.reduce((sum, value) => sum + value, 0n);

/** Pays by a transaction to the address itself. */
const pay = (intent: PaymentIntentObject, amount: bigint) =>
  polygon.pay({ to: addressOf(intent), token: null, amount });

/** Pays through a contract, as an exchange or a multisig does. */
const payInside = (intents: readonly PaymentIntentObject[], amounts: readonly bigint[]): Promise<Mined> =>
  purse.sendWith(total(amounts), 'forward', intents.map(addressOf), amounts);

const HEAD = z.object({ hash: z.string() });

/** Waits until the very head has been recorded. */
async function untilRead(): Promise<void> {
  const { hash } = await polygon.ask(HEAD, 'eth_getBlockByNumber', 'latest', false);
  await eventually(
    async () => (await progressOf(world, 'polygon'))?.hash,
    (seen) => seen === hash,
  );
}

/** A remainder is as young as the head at which it was found, so the head is read before others come on top. */
async function makeFinal(): Promise<void> {
  await untilRead();
  await polygon.mine(FINAL_DEPTH);
  await untilRead();
}

const setCode = (address: string, code: string): Promise<unknown> =>
  polygon.ask(z.unknown(), 'anvil_setCode', address, code);

async function expectPocket(amount: bigint): Promise<void> {
  await eventually(async () => {
    expect(await pocketOf(api, 'polygon', 'POL')).toMatchObject({ available_amount: String(amount), pending_cents: 0 });
    return true;
  });
}

/** All stored deposits of an address that are still on the chain. */
function depositsAt(address: string): Promise<Record<string, unknown>[]> {
  return query(
    world.database,
    `select tx_hash, amount, status, unattributed_reason, credited_at is not null as credited, held_as
       from deposit where to_address = lower($1) and status <> 'orphaned' order by amount`,
    [address],
  );
}

describe("a payment in the chain's own coin", () => {
  it('by one transaction is seen, becomes final and completes the intent [spec 3.1]', async () => {
    const intent = await intentInCoin();
    const { txHash, blockNumber } = await pay(intent, due(intent));
    expect(await untilStatus(api, intent.id, 'processing')).toMatchObject({
      received_amount_cents: 2500,
      payments: [{ status: 'pending', tx_hash: txHash, block_number: blockNumber, amount: intent.crypto_amount }],
    });
    await makeFinal();
    expect(await untilStatus(api, intent.id, 'completed')).toMatchObject({
      overpaid_amount_cents: 0,
      received_crypto_amount: intent.crypto_amount,
      payments: [{ status: 'confirmed', tx_hash: txHash, amount_decimal: intent.crypto_amount_decimal, late: false }],
    });
    await expectPocket(due(intent));
    expect(await eventsOf(world.database, intent.id)).toEqual(['processing', 'payment_received', 'completed']);
  });

  it('comes in parts, by a transaction and inside of contracts in one block and in others, and above what was asked [G-93]', async () => {
    const intent = await intentInCoin();
    const half = due(intent) / 2n;
    await polygon.setAutomine(false);
    const direct = await polygon.send({ to: addressOf(intent), token: null, amount: half });
    const order = purse.order('forward', [addressOf(intent)], [7n]);
    const inside = await sendTransaction(polygon, { ...order, value: hexOf(7n) }, 1);
    await polygon.mine();
    await polygon.setAutomine(true);
    const { block } = await minedTransaction(polygon, inside);
    await eventually(
      async () => (await getIntent(api, intent.id)).payments.length,
      (seen) => seen === 2,
    );
    const { payments } = await untilStatus(api, intent.id, 'processing');
    expect(payments.map((payment) => [payment.tx_hash, payment.amount, payment.block_number])).toEqual(
      expect.arrayContaining([
        [direct, String(half), block.height],
        [null, '7', block.height],
      ]),
    );
    await payInside([intent], [due(intent)]);
    await makeFinal();
    const completed = await untilStatus(api, intent.id, 'completed');
    expect(completed).toMatchObject({ received_crypto_amount: String(due(intent) + half + 7n) });
    expect(completed.overpaid_amount_cents).toBeGreaterThanOrEqual(1249);
    await expectPocket(due(intent) + half + 7n);
  });

  it('reaches several customers in one transaction of a contract, and one in the end of another [G-88] [G-93]', async () => {
    const intents = await Promise.all([intentInCoin(), intentInCoin(), intentInCoin()]);
    const [first, second, heir] = intents;
    if (first === undefined || second === undefined || heir === undefined) throw new Error('There are three.');
    await payInside([first, second], [due(first), due(second)]);
    const will = await ProbeContract.deploy(polygon, 'Purse');
    await will.sendWith(due(heir), 'bequeath', addressOf(heir));
    await makeFinal();
    for (const intent of intents) {
      expect(await untilStatus(api, intent.id, 'completed')).toMatchObject({
        received_crypto_amount: intent.crypto_amount,
        payments: [{ tx_hash: null, amount: intent.crypto_amount, status: 'confirmed' }],
      });
    }
    await expectPocket(total(intents.map(due)));
  });

  it('is none when the inner call was reverted, or the transaction failed [G-94] [G-84]', async () => {
    const intent = await intentInCoin();
    await purse.sendWith(due(intent), 'payInVain', addressOf(intent));
    await setCode(addressOf(intent), REFUSING_CODE);
    const failing = await sendTransaction(polygon, { to: addressOf(intent), value: hexOf(due(intent)) });
    await minedTransaction(polygon, failing);
    await setCode(addressOf(intent), '0x');
    await makeFinal();
    expect(await depositsAt(addressOf(intent))).toEqual([]);
    expect(await getIntent(api, intent.id)).toMatchObject({ status: 'requires_action', payments: [] });
    await pay(intent, due(intent));
    await makeFinal();
    await untilStatus(api, intent.id, 'completed');
    await expectPocket(due(intent));
  });
});

describe('a reorg before finality', () => {
  it.each<[string, (intent: PaymentIntentObject) => Promise<{ readonly txHash: string }>]>([
    ['a transaction', (intent) => pay(intent, due(intent))],
    ['what a contract passed on', (intent) => payInside([intent], [due(intent)])],
  ])('takes %s back, and credits it once when it is mined again [F-64] [F-65]', async (_what, payBy) => {
    const intent = await intentInCoin();
    const { txHash } = await payBy(intent);
    await untilStatus(api, intent.id, 'processing');
    await polygon.mine();
    const raw = await polygon.dropTransaction(txHash);
    await eventually(async () => {
      const { received_crypto_amount: received, payments } = await getIntent(api, intent.id);
      expect([received, ...payments.map(({ status }) => status)]).toEqual(['0', 'orphaned']);
      return true;
    });
    await polygon.mine();
    await polygon.resend(raw);
    await makeFinal();
    await untilStatus(api, intent.id, 'completed');
    await expectPocket(due(intent));
    expect(await depositsAt(addressOf(intent))).toMatchObject([{ amount: intent.crypto_amount, credited: true }]);
    expect(await eventsOf(world.database, intent.id)).toEqual(['processing', 'payment_received', 'completed']);
  });
});

describe('coins that no intent asked for', () => {
  it('are explained to the merchant within 15 s, before they are final, and without another block [G-95]', async () => {
    const intent = await intentWithAddress(api, { network: 'polygon' });
    await payInside([intent], [10n ** 18n]);
    const sentAtMs = performance.now();
    await eventually(async () => {
      const { body } = await api.get<ExplanationObject>(`/v1/payment-intents/${intent.id}/explain`);
      expect(body.verdict).toMatchObject({
        code: 'paid_in_another_token',
        sentence: '1 POL arrived at the address of this intent on polygon, but it asks for USDC.',
      });
      expect(body.findings[0]?.evidence.payments).toMatchObject([{ tx_hash: null, token: 'POL', status: 'pending' }]);
      return true;
    }, 15_000);
    expect(performance.now() - sentAtMs).toBeLessThan(15_000);
    await makeFinal();
    await eventually(async () => {
      expect(await depositsAt(addressOf(intent))).toMatchObject([{ status: 'confirmed', held_as: 'suspense' }]);
      return true;
    });
  });

  it('are kept in suspense and credited to no merchant, also where only a balance shows them [G-95]', async () => {
    const paid = await intentWithAddress(api, { network: 'polygon' });
    const paidInside = await intentWithAddress(api, { network: 'polygon' });
    const elsewhere = await intentWithAddress(api, { network: 'bnb' });
    // An intent waits for the coin, so transactions are read.
    await intentInCoin();
    const direct = await pay(paid, 5n);
    await payInside([paidInside, elsewhere], [6n, 7n]);
    const unasked = (amount: string, txHash: string | null, reason: string): object[] => [
      {
        amount,
        tx_hash: txHash,
        unattributed_reason: reason,
        status: 'confirmed',
        credited: true,
        held_as: 'suspense',
      },
    ];
    await eventually(async () => {
      await polygon.mine();
      expect(await depositsAt(addressOf(paid))).toEqual(unasked('5', direct.txHash, 'other_token'));
      expect(await depositsAt(addressOf(paidInside))).toEqual(unasked('6', null, 'other_token'));
      expect(await depositsAt(addressOf(elsewhere))).toEqual(unasked('7', null, 'other_network'));
      return true;
    }, 30_000);
    for (const intent of [paid, paidInside, elsewhere]) {
      expect(await getIntent(api, intent.id)).toMatchObject({ status: 'requires_action', payments: [] });
    }
  });
});
