import { type DevAccount, devAccount } from '../../src/devtools/devnet/dev-accounts.js';
import type { MinedTransaction } from '../../src/devtools/devnet/mined-transaction.js';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import { addressOf, getIntent, untilStatus } from '../http/intents.js';
import { BNB_FINALITY, type BnbTestnet } from '../support/bnb-testnet.js';
import { eventsOf, expectBooksInOrder, pocketOf } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import type { World } from '../support/world.js';
import { WatchedTestnet } from './watched-testnet.js';
import { untilRead } from './watching.js';

const STRANGER = '0x00000000000000000000000000000000000000aa';

let watched: WatchedTestnet;
let world: World;
let testnet: BnbTestnet;
let pocketBefore: bigint;

beforeAll(async () => {
  watched = await WatchedTestnet.start();
  ({ world, testnet } = watched);
});
afterAll(() => watched.stop());
beforeEach(async () => {
  pocketBefore = await pocketOf(world.database, world.merchantId, 'bnb');
});
afterEach(() => expectBooksInOrder(world.database));

/** An intent whose payment is `depth` blocks deep, its own block included, and has been seen. */
async function paidAtDepth(
  depth: number,
  from: DevAccount = devAccount('faucet'),
): Promise<{ intent: PaymentIntentObject; paid: MinedTransaction }> {
  const intent = await watched.intent();
  const amount = BigInt(intent.crypto_amount ?? 0);
  const paid = await testnet.controls.pay({ to: addressOf(intent), token: 'USDC', amount, from });
  if (depth > 1) await testnet.controls.mine(depth - 1);
  const seen = await untilStatus(world.api, intent.id, 'processing');
  expect(seen).toMatchObject({ received_amount_cents: 2500, payments: [{ status: 'pending', tx_hash: paid.txHash }] });
  return { intent, paid };
}

async function makeFinal(): Promise<void> {
  await testnet.controls.mine(BNB_FINALITY);
  await untilRead(world, testnet);
}

async function expectCreditedOnce(intent: PaymentIntentObject): Promise<void> {
  await untilStatus(world.api, intent.id, 'completed');
  expect(await eventsOf(world.database, intent.id)).toEqual(['processing', 'payment_received', 'completed']);
  const pocket = await pocketOf(world.database, world.merchantId, 'bnb');
  expect(pocket - pocketBefore).toBe(BigInt(intent.crypto_amount ?? 0));
}

async function expectTakenBack(intent: PaymentIntentObject): Promise<void> {
  await eventually(async () => {
    const shown = await getIntent(world.api, intent.id);
    expect(shown).toMatchObject({
      status: 'processing',
      received_amount_cents: 0,
      received_crypto_amount: '0',
      payments: [{ status: 'orphaned', confirmations: 0 }],
    });
    return shown;
  });
}

describe('a reorg before finality', () => {
  it.each([1, 3, 12])(
    'of %i blocks takes a dropped payment back, and credits it once when it returns [F-64]',
    async (depth) => {
      const { intent, paid } = await paidAtDepth(depth);
      const raw = await testnet.controls.dropTransaction(paid.txHash);
      await expectTakenBack(intent);
      await makeFinal();
      expect(await pocketOf(world.database, world.merchantId, 'bnb')).toBe(pocketBefore);
      expect(await eventsOf(world.database, intent.id)).toEqual(['processing']);
      const again = await testnet.controls.resend(raw);
      expect(again.txHash).toBe(paid.txHash);
      await makeFinal();
      await expectCreditedOnce(intent);
    },
  );

  it.each([1, 3, 12])(
    'of %i blocks that mines the payment in another block and position credits it once [F-65]',
    async (depth) => {
      const { intent, paid } = await paidAtDepth(depth);
      const { before, after } = await testnet.controls.moveTransaction(paid.txHash);
      expect(after.blockHash).not.toBe(before.blockHash);
      expect(after.logIndexes).not.toEqual(before.logIndexes);
      await makeFinal();
      await expectCreditedOnce(intent);
      const deposits = await query<{ block_hash: string; status: string }>(
        world.database,
        `select block_hash, status from deposit where intent_id = $1`,
        [intent.id],
      );
      expect(deposits).toEqual([{ block_hash: after.blockHash, status: 'confirmed' }]);
    },
  );

  it('that lets the payer spend the money elsewhere ends in an expired intent without a credit [F-66]', async () => {
    const { intent, paid } = await paidAtDepth(2);
    await testnet.controls.dropTransaction(paid.txHash);
    // With the nonce of the dropped one, which can never come back now.
    await testnet.controls.pay({ to: STRANGER, token: 'USDC', amount: 1n });
    await expectTakenBack(intent);
    await makeFinal();
    expect(await testnet.controls.find(paid.txHash)).toBeNull();
    await world.api.post(`/v1/sandbox/payment-intents/${intent.id}/expire`);
    // A block of after the deadline: what could have been paid in time has been read.
    await testnet.controls.setNextBlockTime(new Date(Date.now() + 2_000));
    await testnet.controls.mine();
    await untilStatus(world.api, intent.id, 'expired');
    expect(await eventsOf(world.database, intent.id)).toEqual(['processing', 'expired']);
    expect(await pocketOf(world.database, world.merchantId, 'bnb')).toBe(pocketBefore);
  });

  it('is followed after the fact by a listener that was down while it happened [F-64] [F-65]', async () => {
    const dropped = await paidAtDepth(3);
    const moved = await paidAtDepth(3, devAccount('sandboxPayer'));
    await watched.stopListener();
    await testnet.controls.moveTransaction(moved.paid.txHash);
    await testnet.controls.dropTransaction(dropped.paid.txHash);
    await testnet.controls.mine(4);
    await watched.startListener();
    await expectTakenBack(dropped.intent);
    await makeFinal();
    await expectCreditedOnce(moved.intent);
    expect(await eventsOf(world.database, dropped.intent.id)).toEqual(['processing']);
  });
});
