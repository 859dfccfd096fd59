import { Wallet } from 'ethers';
import { addressOf, intentWithAddress, untilStatus } from '../http/intents.js';
import { makeFinal, newMerchant } from '../http/paying.js';
import { refusalOf } from '../http/refusal.js';
import type { ApiClient } from '../support/api-client.js';
import { expectBooksInOrder } from '../support/books.js';
import { startWorld, type World } from '../support/world.js';
import { fillHotWallet, filledPocket, pocketOn, setGas, untilBroadcast, untilEnded, withdraw } from './withdrawals.js';

let world: World;
beforeAll(async () => {
  // Only the tests mine: nothing completes while other requests run.
  world = await startWorld({
    env: { DEV_BLOCK_INTERVAL_MS: '0', RATE_LIMIT_PER_SECOND: '0', WALLET_POOL_TARGET: '120' },
  });
  // 10 cents for a transfer of a token.
  await setGas(world.database, 'polygon', { baseFee: 2_000n, standard: 500n, fast: 1_000n });
  await fillHotWallet(world);
});
afterAll(() => world.stop());
afterEach(() => expectBooksInOrder(world.database));

const PARALLEL = 50;
const POCKETS = 12;

/** Lets a withdrawal complete once it was broadcast. */
async function paidAndFinal(payer: ApiClient, id: string): Promise<void> {
  await world.chain('polygon').waitUntilMined((await untilBroadcast(payer, id)).tx_hash);
  await makeFinal(world);
  await untilEnded(payer, id, 'completed');
}

it('50 withdrawals from one pocket are one, and 49 times 409 pocket_locked [spec 8 concurrent withdrawals] [spec 7 pocket_locked] [D-41]', async () => {
  const payer = await newMerchant(world);
  const rich = await filledPocket(world, { api: payer });
  const answers = await Promise.all(
    Array.from({ length: PARALLEL }, () => withdraw(payer, rich.id, { amount_cents: 100 })),
  );
  const [winner, ...others] = answers.toSorted((a, b) => a.status - b.status);
  expect(winner?.status).toBe(202);
  for (const other of others) {
    expect(refusalOf(other)).toEqual({ status: 409, code: 'pocket_locked', param: 'pocket_id' });
    expect(other.headers.get('retry-after')).toBe('5');
  }
  expect(await pocketOn(payer, 'polygon')).toMatchObject({ held_cents: 110, available_cents: 99_890 });
  await paidAndFinal(payer, winner?.body.id ?? '');
  expect((await withdraw(payer, rich.id, { amount_cents: 100 })).status).toBe(202);
});

it('20 requests with one key are one withdrawal, and 20 times the same bytes [C-29]', async () => {
  const payer = await newMerchant(world);
  const rich = await filledPocket(world, { api: payer });
  const answers = await Promise.all(Array.from({ length: 20 }, () => withdraw(payer, rich.id, {}, 'one-key')));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(202);
  expect(await pocketOn(payer, 'polygon')).toMatchObject({ available_cents: 100_000 - 1_010 });
  const changed = await withdraw(payer, rich.id, { amount_cents: 1_001 }, 'one-key');
  expect(refusalOf(changed)).toEqual({ status: 422, code: 'idempotency_key_reused' });
});

it('12 withdrawals from 12 pockets all complete: each is paid once, by a transaction of its own', async () => {
  const payers = await Promise.all(
    Array.from({ length: POCKETS }, async () => {
      const payer = await newMerchant(world);
      return { payer, intent: await intentWithAddress(payer), destination: Wallet.createRandom().address };
    }),
  );
  const polygon = world.chain('polygon');
  for (const { intent } of payers) await polygon.send({ to: addressOf(intent), token: 'USDC', amount: 25_000_000n });
  await makeFinal(world);
  const sent = await Promise.all(
    payers.map(async ({ payer, intent, destination }) => {
      await untilStatus(payer, intent.id, 'completed');
      const { body } = await withdraw(payer, (await pocketOn(payer, 'polygon')).id, { destination });
      const { tx_hash } = await untilBroadcast(payer, body.id);
      await polygon.waitUntilMined(tx_hash);
      return { payer, id: body.id, tx_hash, destination };
    }),
  );
  expect(new Set(sent.map(({ tx_hash }) => tx_hash)).size).toBe(POCKETS);
  await makeFinal(world);
  for (const { payer, id, tx_hash, destination } of sent) {
    expect(await untilEnded(payer, id, 'completed')).toMatchObject({ tx_hash });
    expect(await polygon.balance('USDC', destination)).toBe(10_000_000n);
  }
});
