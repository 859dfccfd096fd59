import { addressOf, getIntent, intentWithAddress, untilStatus } from '../http/intents.js';
import { BNB_FINALITY, type BnbTestnet } from '../support/bnb-testnet.js';
import { eventsOf, expectBooksInOrder, pocketOf } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { ProbeContract } from '../support/probe-contracts.js';
import type { World } from '../support/world.js';
import { WatchedTestnet } from './watched-testnet.js';
import { untilRead } from './watching.js';

const TRANSFERS = 2_000;
const PER_TRANSACTION = 100;

const many = <T>(value: T): T[] => Array.from({ length: PER_TRANSACTION }, () => value);

let watched: WatchedTestnet;
let world: World;
let testnet: BnbTestnet;

beforeAll(async () => {
  watched = await WatchedTestnet.start();
  ({ world, testnet } = watched);
});
afterAll(() => watched.stop());

/** An intent of 25 dollars in BNB. */
const intentInCoin = () => intentWithAddress(world.api, { network: 'bnb', token: 'BNB' });

it('2,000 transfers of dust are credited to the last unit, and neither flood the merchant nor delay a customer [G-96]', async () => {
  const token = testnet.controls.chain.tokens['USDC']?.address ?? '';
  const usdc = ProbeContract.at(testnet.node, 'ProbeToken', token);
  const batcher = await ProbeContract.deploy(testnet.node, 'Batcher');
  const dusted = await watched.intent();
  const customer = await watched.intent();
  for (let sent = 0; sent < TRANSFERS; sent += PER_TRANSACTION) {
    await batcher.send('pay', many(token), many(addressOf(dusted)), many(1n));
  }
  await usdc.send('transfer', addressOf(customer), BigInt(customer.crypto_amount ?? 0));
  await testnet.controls.mine(BNB_FINALITY);
  await untilStatus(world.api, customer.id, 'completed');
  await eventually(
    async () => {
      const { received_crypto_amount: received } = await getIntent(world.api, dusted.id);
      return received;
    },
    (seen) => seen === String(TRANSFERS),
  );
  await untilRead(world, testnet);
  await expectBooksInOrder(world.database);
  const expected = BigInt(customer.crypto_amount ?? 0) + BigInt(TRANSFERS);
  expect(await pocketOf(world.database, world.merchantId, 'bnb')).toBe(expected);
  // Not one webhook each: a payment worth less than a cent has no event.
  expect(await eventsOf(world.database, dusted.id)).toEqual([]);
  const shown = await getIntent(world.api, dusted.id);
  expect(shown).toMatchObject({ status: 'requires_action', received_amount_cents: 0 });
  expect(shown.payments).toHaveLength(100);
  expect((await world.api.post(`/v1/payment-intents/${dusted.id}/confirm`)).status).toBe(200);
}, 60_000);

it('2,000 wei in as many payments of the coin, half of them inside of contracts, are credited to the last one', async () => {
  const { api, database, merchantId } = world;
  const { node, controls } = testnet;
  const purse = await ProbeContract.deploy(node, 'Purse');
  const [dusted, customer] = [await intentInCoin(), await intentInCoin()];
  for (let sent = 0; sent < TRANSFERS; sent += 2 * PER_TRANSACTION) {
    await purse.sendWith(BigInt(PER_TRANSACTION), 'forward', many(addressOf(dusted)), many(1n));
    await controls.setAutomine(false);
    for (const to of many(addressOf(dusted))) await controls.send({ to, token: null, amount: 1n });
    await controls.mine();
    await controls.setAutomine(true);
  }
  await controls.pay({ to: addressOf(customer), token: null, amount: BigInt(customer.crypto_amount ?? 0) });
  await controls.mine(BNB_FINALITY);
  await untilStatus(api, customer.id, 'completed');
  const expected = BigInt(customer.crypto_amount ?? 0) + BigInt(TRANSFERS);
  // What contracts paid is as young as the head at which it was found.
  await eventually(
    async () => {
      await controls.mine();
      return pocketOf(database, merchantId, 'bnb', 'BNB');
    },
    (credited) => credited === expected,
  );
  // No more of it comes.
  await controls.mine(BNB_FINALITY + 1);
  await untilRead(world, testnet);
  await expectBooksInOrder(database);
  expect(await pocketOf(database, merchantId, 'bnb', 'BNB')).toBe(expected);
  expect((await getIntent(api, dusted.id)).received_crypto_amount).toBe(String(TRANSFERS));
  expect(await eventsOf(database, dusted.id)).toEqual([]);
}, 60_000);
