import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import type { PocketEntryObject } from '../../src/ledger/pocket.schema.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';
import {
  COMPLETED_BY_SQL,
  addressOf,
  createIntent,
  getIntent,
  intentWithAddress,
  putInStatus,
  untilStatus,
} from './intents.js';
import {
  confirm,
  expire,
  FINAL_DEPTH,
  type List,
  makeFinal,
  newMerchant,
  pay,
  pocketOf,
  untilCredited,
  untilEvents,
  USDC,
} from './paying.js';
import { refusalOf } from './refusal.js';

let world: World;
beforeAll(async () => {
  // Only the test mines: it decides when a payment is final.
  world = await startWorld({
    networks: ['polygon', 'bnb'],
    env: { DEV_BLOCK_INTERVAL_MS: '0' },
    forged: COMPLETED_BY_SQL,
  });
});
afterAll(() => world.stop());

describe('a payment', () => {
  it('is seen, then final: processing, completed, credited, with its events [spec 3.1 processing completed, rule 3] [spec 4.3 optional] [E-55]', async () => {
    const api = await newMerchant(world);
    const intent = await intentWithAddress(api);
    const { txHash, blockNumber } = await pay(world, intent, 25n * USDC);
    const payment = {
      id: expect.stringMatching(/^dep_[0-9a-z]{26}$/),
      tx_hash: txHash,
      from_address: expect.stringMatching(/^0x[0-9a-f]{40}$/),
      amount: '25000000',
      amount_decimal: '25',
      required_confirmations: FINAL_DEPTH,
      block_number: blockNumber,
      seen_at: expect.any(String),
      late: false,
    };
    const arrived = { received_amount_cents: 2500, remaining_amount_cents: 0, received_crypto_amount: '25000000' };
    expect(await untilStatus(api, intent.id, 'processing')).toEqual({
      ...intent,
      ...arrived,
      status: 'processing',
      payments: [{ ...payment, status: 'pending', confirmations: 0 }],
      updated_at: expect.any(String),
    });
    expect(await pocketOf(api)).toMatchObject({ available_cents: 0, pending_cents: 2500 });

    await makeFinal(world);
    const completed = await untilStatus(api, intent.id, 'completed');
    expect(completed).toEqual({
      ...intent,
      ...arrived,
      status: 'completed',
      payments: [{ ...payment, status: 'confirmed', confirmations: FINAL_DEPTH }],
      updated_at: completed.completed_at,
      completed_at: expect.any(String),
    });
    const pocket = await untilCredited(api, 2500);
    expect(pocket).toMatchObject({ token: 'USDC', pending_cents: 0, held_cents: 0, available_amount: '25000000' });
    expect((await api.get(`/v1/pockets/${pocket.id}`)).body).toEqual(pocket);
    const entries = await api.get<List<PocketEntryObject>>(`/v1/pockets/${pocket.id}/entries`);
    expect(entries.body.data).toMatchObject([
      {
        kind: 'deposit',
        reference: `deposit:${completed.payments[0]?.id}`,
        payment_intent_id: intent.id,
        withdrawal_id: null,
        amount: '25000000',
        amount_decimal: '25',
      },
    ]);
    expect(intent.address).toBe(addressOf(intent));
    for (const filter of [`address=${addressOf(intent).toLowerCase()}`, `tx_hash=0x${txHash.slice(2).toUpperCase()}`]) {
      const found = await api.get<List<PaymentIntentObject>>(`/v1/payment-intents?${filter}`);
      expect(found.body.data).toEqual([completed]);
    }
    expect(await untilEvents(api, 3)).toEqual(['processing', 'payment_received', 'completed']);
  });

  it('in parts adds up; received is rounded down until the last unit [spec 2.1 received_amount_cents, remaining_amount_cents] [E-53]', async () => {
    const api = await newMerchant(world);
    const intent = await intentWithAddress(api);
    await pay(world, intent, 10n * USDC);
    await pay(world, intent, 15n * USDC - 1n);
    await makeFinal(world);
    await untilCredited(api, 2499);
    expect(await getIntent(api, intent.id)).toMatchObject({
      status: 'processing',
      received_amount_cents: 2499,
      remaining_amount_cents: 1,
      received_crypto_amount: '24999999',
    });
    await pay(world, intent, 1n);
    await makeFinal(world);
    expect((await untilStatus(api, intent.id, 'completed')).payments).toHaveLength(3);
    await untilCredited(api, 2500);
  });

  it('of too much completes with the amount itself; the surplus is shown and in the pocket [spec 6.1 payment_intent.completed] [E-53]', async () => {
    const api = await newMerchant(world);
    const intent = await intentWithAddress(api);
    await pay(world, intent, 30n * USDC);
    await makeFinal(world);
    const paid = { received_amount_cents: 2500, remaining_amount_cents: 0, overpaid_amount_cents: 500 };
    const completed = await untilStatus(api, intent.id, 'completed');
    expect(completed).toMatchObject(paid);
    await untilCredited(api, 3000);

    await pay(world, intent, 25n * USDC);
    await makeFinal(world);
    await untilCredited(api, 5500);
    const { payments, ...rest } = await getIntent(api, intent.id);
    expect(payments.map(({ late }) => late)).toEqual([false, true]);
    expect({ ...rest, payments: completed.payments }).toEqual(completed);
  });

  it('on bnb counts 18 decimals [spec 4.2 rule 2]', async () => {
    const intent = await intentWithAddress(world.api, { network: 'bnb' });
    await pay(world, intent, 25n * 10n ** 18n);
    await world.chain('bnb').mine(FINAL_DEPTH);
    expect(await untilStatus(world.api, intent.id, 'completed')).toMatchObject({ received_amount_cents: 2500 });
    const pocket = await eventually(() => pocketOf(world.api, 'bnb'));
    expect(pocket).toMatchObject({ token_decimals: 18, available_cents: 2500 });
  });

  it('a little short completes where the merchant accepts that, and the shortfall is shown', async () => {
    const api = await newMerchant(world);
    const { merchant_id: merchantId } = await createIntent(api);
    await query(world.database, `update merchant set underpayment_tolerance_bps = 100 where id = $1`, [merchantId]);
    const intent = await intentWithAddress(api);
    await pay(world, intent, 25n * USDC - 250_000n);
    await makeFinal(world);
    expect(await untilStatus(api, intent.id, 'completed')).toMatchObject({
      received_amount_cents: 2500,
      accepted_shortfall_cents: 25,
    });
  });

  it('from the sandbox helper pays what is missing, or the amount that is named', async () => {
    const api = await newMerchant(world);
    const intent = await intentWithAddress(api);
    const order = (body: object) => api.post(`/v1/sandbox/payment-intents/${intent.id}/pay`, body);
    expect(await order({ amount: '10.5' })).toMatchObject({ status: 202, body: { amount: '10500000', token: 'USDC' } });
    await eventually(
      async () => (await getIntent(api, intent.id)).received_amount_cents,
      (seen) => seen === 1050,
    );
    expect(await order({})).toMatchObject({ status: 202, body: { amount_decimal: '14.5', to: addressOf(intent) } });
    await untilStatus(api, intent.id, 'processing');
    await eventually(
      async () => (await getIntent(api, intent.id)).remaining_amount_cents,
      (seen) => seen === 0,
    );
    await makeFinal(world);
    await untilStatus(api, intent.id, 'completed');
    for (const [param, value] of Object.entries({ amount: '0', token: 'DOGE' })) {
      expect(refusalOf(await order({ [param]: value }))).toEqual({ status: 400, code: 'invalid_request', param });
    }
  });
});

describe('confirm', () => {
  it('moves to processing once, and a payment completes as ever [spec 4.3 status, no body] [spec 3.1 confirm] [E-56]', async () => {
    const api = await newMerchant(world);
    const intent = await intentWithAddress(api);
    const first = await confirm(api, intent.id);
    expect(first).toMatchObject({
      status: 200,
      body: { ...intent, status: 'processing', updated_at: expect.any(String) },
    });
    const again = await confirm(api, intent.id);
    expect(again).toMatchObject({ status: 200, body: first.body });
    await pay(world, intent, 25n * USDC);
    await makeFinal(world);
    await untilStatus(api, intent.id, 'completed');
    expect(await untilEvents(api, 3)).toEqual(['processing', 'payment_received', 'completed']);
  });

  it.each(['completed', 'failed', 'cancelled', 'expired'] as const)(
    'of an intent that is %s: 409 invalid_state_transition [spec 4.3 status] [spec 3.1 terminal] [E-56]',
    async (status) => {
      const intent = await createIntent(world.api);
      await putInStatus(world.database, intent.id, status);
      expect(refusalOf(await confirm(world.api, intent.id))).toEqual({ status: 409, code: 'invalid_state_transition' });
      expect(refusalOf(await expire(world.api, intent.id))).toEqual({ status: 409, code: 'invalid_state_transition' });
      expect((await getIntent(world.api, intent.id)).status).toBe(status);
    },
  );
});
