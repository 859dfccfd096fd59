import type { EventBody } from '../../src/events/event-envelope.js';
import { IntentCancellation } from '../../src/payments/intents/intent-cancellation.service.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';
import { copyIntent, createIntent, generateAddress, getIntent, intentWithAddress, untilStatus } from './intents.js';
import { confirm, expire, type List, makeFinal, newMerchant, pay, untilCredited, untilEvents, USDC } from './paying.js';
import { refusalOf } from './refusal.js';

const RECEIVED = 'payment_intent.payment_received';
const ENDS: readonly string[] = ['completed', 'expired', 'failed'].map((status) => `payment_intent.${status}`);

let world: World;
beforeAll(async () => {
  // Only the test mines: it decides when a payment is final.
  world = await startWorld({ env: { DEV_BLOCK_INTERVAL_MS: '0' } });
});
afterAll(() => world.stop());

describe('at the deadline', () => {
  it('nothing has arrived: expired; money that comes later is credited and flagged [spec 3.1 requires_action expired, terminal, rule 2] [E-52]', async () => {
    const api = await newMerchant(world);
    const intent = await intentWithAddress(api);
    const due = await expire(api, intent.id);
    expect(due.body.expires_at < intent.expires_at).toBe(true);
    const expired = await untilStatus(api, intent.id, 'expired');
    await pay(world, intent, 25n * USDC);
    await makeFinal(world);
    await untilCredited(api, 2500);
    const { payments, ...rest } = await getIntent(api, intent.id);
    expect(payments).toMatchObject([{ amount: '25000000', status: 'confirmed', late: true }]);
    expect({ ...rest, payments: [] }).toEqual(expired);
    expect(await untilEvents(api, 2)).toEqual(['expired', 'payment_received']);
  });

  it('too little has arrived: failed as underpaid, and the money is in the pocket [spec 3.1 processing failed, rule 3] [E-54]', async () => {
    const api = await newMerchant(world);
    const intent = await intentWithAddress(api);
    await pay(world, intent, 10n * USDC);
    await untilStatus(api, intent.id, 'processing');
    await makeFinal(world);
    await expire(api, intent.id);
    expect(await untilStatus(api, intent.id, 'failed')).toMatchObject({
      failure_code: 'underpaid',
      received_amount_cents: 1000,
      remaining_amount_cents: 1500,
      completed_at: null,
    });
    await untilCredited(api, 1000);
    expect(await untilEvents(api, 3)).toEqual(['processing', 'payment_received', 'failed']);
  });

  it('everything has arrived but is not final: it stays processing, and completes [spec 3.1 processing expired, processing completed] [E-51]', async () => {
    const api = await newMerchant(world);
    const [paid, confirmed] = [await intentWithAddress(api), await intentWithAddress(api)];
    await confirm(api, confirmed.id);
    await pay(world, paid, 25n * USDC);
    await untilStatus(api, paid.id, 'processing');
    await Promise.all([expire(api, paid.id), expire(api, confirmed.id)]);
    // The other one shows that the deadline has been processed.
    await untilStatus(api, confirmed.id, 'expired');
    expect((await getIntent(api, paid.id)).status).toBe('processing');
    await makeFinal(world);
    expect((await untilStatus(api, paid.id, 'completed')).payments).toMatchObject([{ late: false }]);
  });

  it('without an address: created and requires_action expire as well, and created is never shown [spec 3.1 rule 1]', async () => {
    const intent = await createIntent(world.api);
    const created = await copyIntent(world.database, intent.id, { status: 'created' });
    expect(await getIntent(world.api, created)).toEqual({ ...intent, id: created });
    await query(world.database, `update payment_intent set status = 'requires_action' where id = $1`, [created]);
    const due = await copyIntent(world.database, intent.id, {
      status: 'created',
      expires_at: new Date().toISOString(),
      due_at: new Date().toISOString(),
    });
    await expire(world.api, intent.id);
    for (const id of [intent.id, due]) await untilStatus(world.api, id, 'expired');
  });

  it('confirm, expiry and payment at the same time end in one state, with one credit and one event [D-45] [E-57]', async () => {
    const api = await newMerchant(world);
    const intents = await Promise.all(Array.from({ length: 5 }, () => intentWithAddress(api)));
    await Promise.all(
      intents.map((intent) =>
        Promise.all([confirm(api, intent.id), expire(api, intent.id), pay(world, intent, 25n * USDC)]),
      ),
    );
    await makeFinal(world);
    await untilCredited(api, 5 * 2500);
    for (const { id } of intents) {
      const { status } = await getIntent(api, id);
      expect(['completed', 'expired']).toContain(status);
      const seen = await eventually(async () => {
        const { body } = await api.get<List<EventBody>>('/v1/events?limit=100');
        const types = body.data.filter(({ data }) => data['id'] === id).map(({ event_type: type }) => type);
        const isReported = types.includes(RECEIVED) && types.some((type) => ENDS.includes(type));
        return isReported ? types : null;
      });
      expect(seen.filter((type) => ENDS.includes(type))).toEqual([`payment_intent.${status}`]);
      expect(seen.filter((type) => type === RECEIVED)).toHaveLength(1);
    }
  });
});

describe('cancellation', () => {
  it("is the system's alone: the API has none; later money is credited as late [spec 3.1 requires_action cancelled, rule 2]", async () => {
    const api = await newMerchant(world);
    const intent = await intentWithAddress(api);
    const path = `/v1/payment-intents/${intent.id}`;
    expect(refusalOf(await api.post(`${path}/cancel`))).toEqual({ status: 404, code: 'not_found' });
    expect(refusalOf(await api.call('DELETE', path))).toEqual({ status: 405, code: 'method_not_allowed' });
    expect(await getIntent(api, intent.id)).toEqual(intent);

    await world.database.transaction((tx) => world.service.get(IntentCancellation).cancel(tx, intent.id));
    const cancelled = await getIntent(api, intent.id);
    expect(cancelled).toEqual({ ...intent, status: 'cancelled', updated_at: expect.any(String) });
    expect(refusalOf(await generateAddress(api, intent.id))).toMatchObject({ status: 409 });
    await pay(world, intent, 25n * USDC);
    await makeFinal(world);
    await untilCredited(api, 2500);
    const { payments, ...rest } = await getIntent(api, intent.id);
    expect(payments).toMatchObject([{ late: true }]);
    expect({ ...rest, payments: [] }).toEqual(cancelled);
    expect(await untilEvents(api, 2)).toEqual(['cancelled', 'payment_received']);
  });
});
