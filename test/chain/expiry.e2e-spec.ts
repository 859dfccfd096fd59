import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import { getIntent, untilStatus } from '../http/intents.js';
import { BNB_FINALITY, type BnbTestnet } from '../support/bnb-testnet.js';
import { eventsOf, expectBooksInOrder, pocketOf } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import type { World } from '../support/world.js';
import { WatchedTestnet } from './watched-testnet.js';
import { untilRead } from './watching.js';

let watched: WatchedTestnet;
let world: World;
let testnet: BnbTestnet;

beforeAll(async () => {
  watched = await WatchedTestnet.start();
  ({ world, testnet } = watched);
});
afterAll(() => watched.stop());
afterEach(() => expectBooksInOrder(world.database));

/** The deadline is now. */
async function expire({ id }: PaymentIntentObject): Promise<void> {
  expect((await world.api.post(`/v1/sandbox/payment-intents/${id}/expire`)).status).toBe(200);
}

/** Blocks from here on were made after every deadline of before: their times have passed it. */
async function passDeadline(): Promise<void> {
  const { time } = await testnet.node.head();
  await testnet.controls.setNextBlockTime(new Date(Math.max(Date.now(), time.getTime()) + 2_000));
  await testnet.controls.mine();
}

/** Waits until workers have checked an intent that is due, and found it undecided, some times more. */
async function untilLookedAt({ id }: PaymentIntentObject): Promise<void> {
  const dueAt = async (): Promise<string> => {
    const [row] = await query<{ due_at: string }>(world.database, `select due_at from payment_intent where id = $1`, [
      id,
    ]);
    return row?.due_at ?? '';
  };
  for (let looks = 0; looks < 2; looks++) {
    const before = await dueAt();
    await eventually(
      () => dueAt(),
      (seen) => seen > before,
    );
  }
}

const makeFinal = (): Promise<void> => testnet.controls.mine(BNB_FINALITY);

describe('an intent that is due while its listener is down', () => {
  it('is decided only when the chain has been read, and a payment in time by its block counts [E-51] [E-63]', async () => {
    const paid = await watched.intent();
    const unpaid = await watched.intent();
    await watched.stopListener();
    await watched.pay(paid);
    await expire(paid);
    await expire(unpaid);
    await passDeadline();
    await untilLookedAt(unpaid);
    expect((await getIntent(world.api, paid.id)).status).toBe('requires_action');
    expect((await getIntent(world.api, unpaid.id)).status).toBe('requires_action');

    await watched.startListener();
    await untilStatus(world.api, unpaid.id, 'expired');
    await untilStatus(world.api, paid.id, 'processing');
    await makeFinal();
    const { payments, expires_at: deadline } = await untilStatus(world.api, paid.id, 'completed');
    expect(payments).toMatchObject([{ late: false }]);
    expect((payments[0]?.seen_at ?? '') > deadline).toBe(true);
    expect(await eventsOf(world.database, paid.id)).toEqual(['processing', 'payment_received', 'completed']);
  });

  it('does not count a payment of after the deadline, but credits it [E-52] [E-63]', async () => {
    const intent = await watched.intent();
    const pocket = await pocketOf(world.database, world.merchantId, 'bnb');
    await watched.stopListener();
    await expire(intent);
    await passDeadline();
    await watched.pay(intent);
    await makeFinal();
    await watched.startListener();
    await untilStatus(world.api, intent.id, 'expired');
    await expectBooksInOrder(world.database);
    const shown = await getIntent(world.api, intent.id);
    expect(shown).toMatchObject({ received_amount_cents: 0, payments: [{ status: 'confirmed', late: true }] });
    const gained = (await pocketOf(world.database, world.merchantId, 'bnb')) - pocket;
    expect(gained).toBe(BigInt(intent.crypto_amount ?? 0));
  });
});

describe('an intent that is due with its money on the way', () => {
  it('waits when all of it was in time, and completes when it is final [E-51]', async () => {
    const intent = await watched.intent();
    await watched.pay(intent);
    await untilStatus(world.api, intent.id, 'processing');
    await expire(intent);
    await passDeadline();
    await untilRead(world, testnet);
    await untilLookedAt(intent);
    expect((await getIntent(world.api, intent.id)).status).toBe('processing');
    await makeFinal();
    await untilStatus(world.api, intent.id, 'completed');
    expect(await eventsOf(world.database, intent.id)).toEqual(['processing', 'payment_received', 'completed']);
  });

  it('expires when a reorg takes all of it after the deadline [E-54] [F-66]', async () => {
    const intent = await watched.intent();
    const { txHash } = await watched.pay(intent);
    await untilStatus(world.api, intent.id, 'processing');
    await expire(intent);
    await passDeadline();
    await untilLookedAt(intent);
    await testnet.controls.dropTransaction(txHash);
    await passDeadline();
    await untilStatus(world.api, intent.id, 'expired');
    expect(await eventsOf(world.database, intent.id)).toEqual(['processing', 'expired']);
  });

  it('fails as underpaid when a reorg takes a part of it after the deadline [E-54] [F-66]', async () => {
    const intent = await watched.intent();
    await watched.pay(intent, 2n);
    const second = await watched.pay(intent, 2n);
    await eventually(
      async () => (await getIntent(world.api, intent.id)).received_amount_cents,
      (seen) => seen === 2500,
    );
    await expire(intent);
    await passDeadline();
    await untilLookedAt(intent);
    await testnet.controls.dropTransaction(second.txHash);
    await passDeadline();
    const failed = await untilStatus(world.api, intent.id, 'failed');
    expect(failed).toMatchObject({ failure_code: 'underpaid', received_amount_cents: 1250 });
    await makeFinal();
    await untilRead(world, testnet);
    await expectBooksInOrder(world.database);
    expect(await eventsOf(world.database, intent.id)).toEqual(['processing', 'failed', 'payment_received']);
  });
});
