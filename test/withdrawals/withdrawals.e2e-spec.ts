import Stripe from 'stripe';
import { Wallet } from 'ethers';
import type { EventBody } from '../../src/events/event-envelope.js';
import { addressOf, intentWithAddress, untilStatus } from '../http/intents.js';
import { FINAL_DEPTH, newMerchant } from '../http/paying.js';
import { type Receiver, startReceiver } from '../outbound/receiver-zoo.js';
import { expectBooksInOrder } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import type { World } from '../support/world.js';
import { startPayingWorld } from './paying-world.js';
import {
  accepted,
  entriesOf,
  filledPocket,
  pocketOn,
  previewOf,
  untilBroadcast,
  untilEnded,
  withdraw,
} from './withdrawals.js';

const NETWORKS = ['polygon', 'bnb'] as const;
const TOLERANCE_SECONDS = 300;

let world: World;
let receiver: Receiver;
beforeAll(async () => {
  [world, receiver] = await Promise.all([
    startPayingWorld(NETWORKS),
    startReceiver((_request, response) => response.writeHead(204).end()),
  ]);
});
afterAll(async () => {
  await world.stop();
  await receiver.close();
});
afterEach(() => expectBooksInOrder(world.database));

/** Makes all present blocks of a network final. */
const makeFinal = (network: (typeof NETWORKS)[number] = 'polygon'): Promise<void> =>
  world.chain(network).mine(FINAL_DEPTH);

it('is held, signed, broadcast, final, and announced by an event, with every field at each step [spec 2.2 id, object, status, pocket_id, amount_cents, destination, network_fee_cents, tx_hash, reference, created_at] [spec 3.2 creation, queued broadcasting, tx_hash] [spec 4.6 response]', async () => {
  const api = await newMerchant(world);
  const pocket = await filledPocket(world, { api });
  const destination = Wallet.createRandom().address;
  const order = { amount_cents: 12_345, destination, reference: 'payout-77' };
  const created = await accepted(api, pocket.id, order);
  expect(created).toEqual({
    id: expect.stringMatching(/^wd_[0-9a-hjkmnp-tv-z]{26}$/),
    object: 'withdrawal',
    merchant_id: expect.stringMatching(/^mer_/),
    environment: 'sandbox',
    status: 'broadcasting',
    pocket_id: pocket.id,
    network: 'polygon',
    token: 'USDC',
    amount_cents: 12_345,
    network_fee_cents: expect.any(Number),
    destination,
    fee_strategy: 'standard',
    tx_hash: null,
    reference: 'payout-77',
    failure_code: null,
    failure_message: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: created.created_at,
    completed_at: null,
  });
  const charged = 12_345 + created.network_fee_cents;
  expect(created.network_fee_cents).toBeGreaterThanOrEqual(1);

  const sent = await untilBroadcast(api, created.id);
  expect(sent).toEqual({ ...created, tx_hash: sent.tx_hash, updated_at: sent.updated_at });
  expect(await world.chain('polygon').waitUntilMined(sent.tx_hash)).toMatchObject({ succeeded: true });
  expect(await world.chain('polygon').balance('USDC', destination)).toBe(123_450_000n);
  const held = { available_cents: pocket.available_cents - charged, held_cents: charged };
  expect(await pocketOn(api, 'polygon')).toMatchObject(held);

  await makeFinal();
  const completed = await untilEnded(api, created.id, 'completed');
  const { updated_at, completed_at } = completed;
  expect(completed).toEqual({ ...sent, status: 'completed', updated_at, completed_at });
  expect(completed_at).toMatch(/Z$/);
  expect(await pocketOn(api, 'polygon')).toMatchObject({ ...held, held_cents: 0 });
  const [out, ...before] = await entriesOf(api, pocket);
  expect(out).toMatchObject({
    kind: 'withdrawal',
    reference: `withdrawal:${created.id}`,
    payment_intent_id: null,
    withdrawal_id: created.id,
    amount: String(-charged * 10_000),
  });
  expect(before.map(({ kind }) => kind)).toEqual(['deposit']);
  const { body: found } = await api.get<{ data: unknown }>(`/v1/withdrawals?tx_hash=${sent.tx_hash.toUpperCase()}`);
  expect(found.data).toEqual([completed]);
});

it('is announced by a signed webhook with tx_hash and reference once it is final, and not before [spec 3.2 broadcasting completed] [spec 6.1 withdrawal.completed] [spec 4.6 reference]', async () => {
  const api = await newMerchant(world);
  const pocket = await filledPocket(world, { api });
  const { body: endpoint } = await api.post<{ secret: string }>('/v1/webhook-endpoints', {
    url: `http://127.0.0.1:${receiver.port}/hooks`,
  });
  const { id } = await accepted(api, pocket.id, { reference: 'payout-78' });
  const { tx_hash } = await untilBroadcast(api, id);
  await world.chain('polygon').waitUntilMined(tx_hash);
  expect(receiver.requests).toEqual([]);
  await makeFinal();
  const request = await eventually(() => receiver.requests[0]);
  const signature = String(request.headers['x-webhook-signature']);
  const event = Stripe.webhooks.constructEvent(request.body, signature, endpoint.secret, TOLERANCE_SECONDS);
  const shown = await untilEnded(api, id, 'completed');
  expect(event).toMatchObject({ event_type: 'withdrawal.completed', type: 'withdrawal.completed', data: shown });
  expect(shown).toMatchObject({ id, tx_hash, reference: 'payout-78', status: 'completed' });
  const { body: events } = await api.get<{ data: EventBody[] }>('/v1/events?event_type=withdrawal.completed');
  expect(events.data).toEqual([event]);
});

it('returns its first answer again after it has completed, byte for byte, and nothing is paid again [C-29] [C-38]', async () => {
  const api = await newMerchant(world);
  const pocket = await filledPocket(world, { api });
  const destination = Wallet.createRandom().address;
  const first = await withdraw(api, pocket.id, { destination }, 'the-same-key');
  const { id } = first.body;
  await world.chain('polygon').waitUntilMined((await untilBroadcast(api, id)).tx_hash);
  await makeFinal();
  await untilEnded(api, id, 'completed');
  const again = await withdraw(api, pocket.id, { destination }, 'the-same-key');
  expect([again.status, again.text]).toEqual([202, first.text]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.headers.get('original-request-id')).toBe(first.headers.get('request-id'));
  expect(await world.chain('polygon').balance('USDC', destination)).toBe(10_000_000n);
  expect((await api.get<{ data: unknown[] }>('/v1/withdrawals')).body.data).toHaveLength(1);
});

interface Sale {
  readonly network: (typeof NETWORKS)[number];
  readonly token: string;
  /** The payment in cents of a dollar. Where possible the quote leaves a remainder below a minor unit. */
  readonly paidCents: number;
  /** Smallest units of one minor unit of the pocket. */
  readonly minorUnit: bigint;
}

const SALES: readonly Sale[] = [
  { network: 'polygon', token: 'POL', paidCents: 10_001, minorUnit: 10n ** 10n },
  { network: 'polygon', token: 'USDT', paidCents: 10_001, minorUnit: 10n ** 4n },
  { network: 'bnb', token: 'USDC', paidCents: 10_001, minorUnit: 10n ** 16n },
  { network: 'bnb', token: 'BNB', paidCents: 10_001, minorUnit: 10n ** 10n },
];

it.each(SALES)(
  'pays out all of a pocket of $token on $network, exactly in its minor units; a remainder below one stays [spec 2.2 amount_cents, network_fee_cents] [spec 4.6 amount_cents] [H-104]',
  async ({ network, token, paidCents, minorUnit }) => {
    const api = await newMerchant(world);
    const pocket = await filledPocket(world, { api, network, token, amountCents: paidCents });
    const destination = Wallet.createRandom().address;
    const preview = await previewOf(api, pocket.id, {});
    const amount = pocket.available_cents - (preview.network_fee_cents ?? 0);
    // The whole balance can be withdrawn, and one unit more cannot.
    expect((await withdraw(api, pocket.id, { amount_cents: amount + 1, destination })).status).toBe(400);
    const { id } = await accepted(api, pocket.id, { amount_cents: amount, destination });
    const remainder = BigInt(pocket.available_amount) % minorUnit;
    const charged = BigInt(pocket.available_cents);
    expect(await pocketOn(api, network, token)).toMatchObject({
      available_cents: 0,
      available_amount: String(remainder),
      held_cents: pocket.available_cents,
    });
    const sent = await untilBroadcast(api, id);
    const mined = await world.chain(network).waitUntilMined(sent.tx_hash);
    expect(mined.succeeded).toBe(true);
    const isCoin = !(token in world.chain(network).chain.tokens);
    expect(await world.chain(network).balance(isCoin ? null : token, destination)).toBe(BigInt(amount) * minorUnit);
    await makeFinal(network);
    await untilEnded(api, id, 'completed');
    expect(await pocketOn(api, network, token)).toMatchObject({ available_amount: String(remainder), held_cents: 0 });
    const [out] = await entriesOf(api, pocket);
    expect(out?.amount).toBe(String(-charged * minorUnit));
  },
);

it('to one of our own deposit addresses is paid as usual: the money is credited as a payment and completes the intent', async () => {
  const [api, shop] = [await newMerchant(world), await newMerchant(world)];
  const pocket = await filledPocket(world, { api });
  const intent = await intentWithAddress(shop, { amount_cents: 5_000 });
  const { id } = await accepted(api, pocket.id, { amount_cents: 5_000, destination: addressOf(intent).toLowerCase() });
  const { tx_hash, destination } = await untilBroadcast(api, id);
  expect(destination).toBe(addressOf(intent));
  await world.chain('polygon').waitUntilMined(tx_hash);
  await makeFinal();
  await untilEnded(api, id, 'completed');
  const { payments } = await untilStatus(shop, intent.id, 'completed');
  expect(payments).toMatchObject([{ tx_hash, status: 'confirmed' }]);
  expect(await pocketOn(shop, 'polygon')).toMatchObject({ available_cents: 5_000 });
});
