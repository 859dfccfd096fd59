import Stripe from 'stripe';
import { Wallet } from 'ethers';
import type { EventBody } from '../../src/events/event-envelope.js';
import type { WithdrawalObject } from '../../src/withdrawals/withdrawal.schema.js';
import { addressOf, intentWithAddress, untilStatus } from '../http/intents.js';
import { FINAL_DEPTH, newMerchant } from '../http/paying.js';
import { addKey, addMerchant } from '../http/tenants.js';
import { type Receiver, startReceiver } from '../outbound/receiver-zoo.js';
import type { ApiClient } from '../support/api-client.js';
import { expectBooksInOrder } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { listAddress } from '../support/listed-address.js';
import { startWorld, type World } from '../support/world.js';
import { payoutOf } from './payouts.js';
import {
  aPayee,
  entriesOf,
  fillHotWallet,
  filledPocket,
  freezeMerchant,
  getWithdrawal,
  pocketOn,
  previewOf,
  setGas,
  setPayee,
  untilBroadcast,
  untilEnded,
  withdraw,
} from './withdrawals.js';

const NETWORKS = ['polygon', 'bnb'] as const;
const TOLERANCE_SECONDS = 300;

let world: World;
let receiver: Receiver;
beforeAll(async () => {
  // Only transactions and the tests create blocks, so that nothing becomes final before a test needs it.
  world = await startWorld({ networks: NETWORKS, env: { DEV_BLOCK_INTERVAL_MS: '0' } });
  receiver = await startReceiver((_request, response) => response.writeHead(204).end());
  for (const network of NETWORKS) {
    await fillHotWallet(world, network);
    // Constant, so that the fee of a preview is the fee of the next order.
    await setGas(world.database, network, { baseFee: 2n, standard: 2n, fast: 3n });
  }
});
afterAll(async () => {
  await world.stop();
  await receiver.close();
});
afterEach(() => expectBooksInOrder(world.database));

/** Makes all present blocks of a network final. */
const makeFinal = (network: (typeof NETWORKS)[number] = 'polygon'): Promise<void> =>
  world.chain(network).mine(FINAL_DEPTH);

/** Creates a withdrawal that must be accepted, and returns it. */
async function accepted(api: ApiClient, pocketId: string, fields: object): Promise<WithdrawalObject> {
  const { status, body, text } = await withdraw(api, pocketId, { ...fields });
  if (status !== 202) throw new Error(`The withdrawal was not accepted: ${text}`);
  return body;
}

/** Waits for the merchant's events about a withdrawal, and returns them, the oldest first. */
const eventsAbout = (api: ApiClient, id: string): Promise<EventBody[]> =>
  eventually(async () => {
    const { body } = await api.get<{ data: EventBody[] }>('/v1/events?limit=100');
    const about = body.data.filter(({ data }) => data['id'] === id);
    return about.length > 0 ? about.toReversed() : null;
  });

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

describe('a withdrawal that cannot be paid', () => {
  it.each([
    ['refuses it', 'reverts', 'destination_rejects'],
    ['needs more gas than it may carry', 'writes', 'destination_needs_gas'],
  ] as const)(
    'because the destination %s, fails unsigned: amount and fee are back, the merchant gets an event, the pocket is free [I-116]',
    async (_what, kind, code) => {
      const api = await newMerchant(world);
      const pocket = await filledPocket(world, { api, token: 'POL' });
      const destination = await aPayee(world, kind);
      const preview = await previewOf(api, pocket.id, { amount_cents: 100_000_000, destination });
      expect(preview).toMatchObject({ would_succeed: true, destination_simulated: false });
      const { id } = await accepted(api, pocket.id, { amount_cents: 100_000_000, destination });
      const failed = await untilEnded(api, id, 'failed');
      expect(failed).toMatchObject({ tx_hash: null, failure_code: code, completed_at: null });
      expect(failed.failure_message).toMatch(/\.$/);
      expect(await payoutOf(world.database, id)).toBeNull();
      await expectRefunded(api, failed);
      expect(await pocketOn(api, 'polygon', 'POL')).toMatchObject({ ...pocket, held_cents: 0 });
    },
  );

  it('because the chain reverts a payment that its simulation accepted, fails, and the destination is refused from then on [I-116]', async () => {
    const api = await newMerchant(world);
    const pocket = await filledPocket(world, { api, token: 'POL' });
    const destination = await aPayee(world, 'takes');
    const terms = { amount_cents: 100_000_000, destination };
    const chain = world.chain('polygon');
    await chain.setAutomine(false);
    const { id } = await accepted(api, pocket.id, terms);
    const { tx_hash } = await untilBroadcast(api, id);
    await setPayee(world, destination, 'reverts');
    await chain.setAutomine(true);
    await chain.mine();
    expect(await chain.waitUntilMined(tx_hash)).toMatchObject({ succeeded: false });
    await setPayee(world, destination, 'takes');
    await makeFinal();
    const failed = await untilEnded(api, id, 'failed');
    expect(failed).toMatchObject({ tx_hash, failure_code: 'transaction_reverted', completed_at: null });
    await expectRefunded(api, failed);
    const refused = await untilEnded(api, (await accepted(api, pocket.id, terms)).id, 'failed');
    expect(refused).toMatchObject({ tx_hash: null, failure_code: 'destination_rejects' });
    expect(await pocketOn(api, 'polygon', 'POL')).toMatchObject({ ...pocket, held_cents: 0 });
    const next = await accepted(api, pocket.id, { amount_cents: 100_000_000 });
    await untilBroadcast(api, next.id);
    await makeFinal();
    await untilEnded(api, next.id, 'completed');
  });

  it('because its destination was listed meanwhile, fails before anything is signed [I-120]', async () => {
    const merchantId = await addMerchant(world, 'Frozen for a while');
    const api = await addKey(world, merchantId, 'sandbox');
    const pocket = await filledPocket(world, { api });
    await freezeMerchant(world.database, merchantId, 'Somebody looks into it.');
    const destination = Wallet.createRandom().address;
    const created = await accepted(api, pocket.id, { destination });
    await eventually(
      () => waitingReason(created.id),
      (seen) => seen === 'merchant_frozen',
    );
    expect(await getWithdrawal(api, created.id)).toEqual(created);
    await listAddress(world.database, destination);
    await freezeMerchant(world.database, merchantId, null);
    const failed = await untilEnded(api, created.id, 'failed');
    expect(failed).toMatchObject({ tx_hash: null, failure_code: 'address_blocked' });
    await expectRefunded(api, failed);
    expect(await query(world.database, `select from chain_transaction where purpose_id = $1`, [created.id])).toEqual(
      [],
    );
  });

  const waitingReason = async (id: string): Promise<string | null> => {
    const [row] = await query<{ waiting_reason: string | null }>(
      world.database,
      `select waiting_reason from withdrawal where id = $1`,
      [id],
    );
    return row?.waiting_reason ?? null;
  };

  async function expectRefunded(api: ApiClient, failed: WithdrawalObject): Promise<void> {
    const [back, out] = await entriesOf(api, { id: failed.pocket_id });
    expect([back?.kind, out?.kind]).toEqual(['withdrawal_refund', 'withdrawal']);
    expect([back?.withdrawal_id, out?.withdrawal_id]).toEqual([failed.id, failed.id]);
    expect(back?.amount).toBe(String(-BigInt(out?.amount ?? 0)));
    const events = await eventsAbout(api, failed.id);
    expect(events).toMatchObject([{ type: 'withdrawal.failed', data: failed }]);
  }
});
