import { ListenerService } from '../../src/payments/listener/listener.service.js';
import type { ExplanationObject, FindingObject } from '../../src/explain/explanation.schema.js';
import { DelivererService } from '../../src/webhooks/deliveries/deliverer.service.js';
import { type Receiver, startReceiver } from '../outbound/receiver-zoo.js';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';
import { addressOf, createIntent, getIntent, intentWithAddress, untilStatus } from './intents.js';
import { confirm, expire, FINAL_DEPTH, makeFinal, newMerchant, pay, pocketOf, untilCredited, USDC } from './paying.js';
import { refusalOf } from './refusal.js';

const SECRET = 'hunter2';

let world: World;
let api: ApiClient;
beforeAll(async () => {
  // Only the test mines: it decides when a payment is final.
  world = await startWorld({
    networks: ['polygon', 'bnb'],
    env: { DEV_BLOCK_INTERVAL_MS: '0', WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' },
  });
});
afterAll(() => world.stop());
beforeEach(async () => {
  api = await newMerchant(world);
});

async function explain(id: string): Promise<ExplanationObject> {
  const { status, body, text } = await api.get<ExplanationObject>(`/v1/payment-intents/${id}/explain`);
  if (status !== 200) throw new Error(`Not explained: ${text}`);
  return body;
}

/** Waits for these codes, in this order, and returns the first finding. */
function untilExplained(id: string, ...codes: string[]): Promise<FindingObject> {
  return eventually(async () => {
    const { findings, verdict } = await explain(id);
    expect(findings.map(({ code }) => code)).toEqual(codes);
    const [first] = findings;
    expect(first).toMatchObject(verdict);
    return first;
  });
}

describe('an explanation', () => {
  it('follows a payment from the missing address to the pocket', async () => {
    const { id } = await createIntent(api);
    expect(await explain(id)).toMatchObject({
      object: 'explanation',
      payment_intent_id: id,
      status: 'requires_action',
      verdict: { code: 'awaiting_address' },
      checked_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const { body: intent } = await api.post<Awaited<ReturnType<typeof getIntent>>>(
      `/v1/payment-intents/${id}/generate-address`,
    );
    expect(await untilExplained(id, 'not_paid')).toMatchObject({
      sentence: expect.stringMatching(/^No payment of 25 USDC has been seen on polygon; time left: 60 minutes\.$/),
      evidence: { blockchain_address: addressOf(intent), expires_at: intent.expires_at },
    });
    await confirm(api, id);
    await untilExplained(id, 'confirmed_by_merchant_unpaid');

    const part = await pay(world, intent, 10n * USDC);
    expect(await untilExplained(id, 'part_paid')).toMatchObject({
      evidence: {
        crypto_amounts: { expected_decimal: '25', received_decimal: '10', missing: '15000000', surplus: '0' },
        payments: [{ tx_hash: part.txHash, amount_decimal: '10', status: 'pending', block_number: part.blockNumber }],
      },
    });
    await pay(world, intent, 20n * USDC);
    const waiting = await untilExplained(id, 'awaiting_confirmations');
    expect(waiting.sentence).toContain(`has 0 of ${FINAL_DEPTH} confirmations`);
    await makeFinal(world);
    await untilStatus(api, id, 'completed');
    const pocket = await eventually(() => pocketOf(api));
    const overpaid = await untilExplained(id, 'overpaid', 'paid_completed', 'no_webhook_endpoint');
    expect(overpaid).toMatchObject({
      sentence: '30 USDC arrived where 25 USDC was asked for: 5.00 USD too much.',
      evidence: { pocket_id: pocket.id, crypto_amounts: { surplus_decimal: '5' } },
    });
    await pay(world, intent, 25n * USDC);
    await untilExplained(id, 'paid_again', 'overpaid', 'paid_completed', 'no_webhook_endpoint');
  });

  it('names what came in another token and on another network, each with its transaction [G-95]', async () => {
    const intent = await intentWithAddress(api);
    const to = addressOf(intent);
    const usdt = await world.chain('polygon').pay({ to, token: 'USDT', amount: 25n * USDC });
    expect(await untilExplained(intent.id, 'paid_in_another_token', 'not_paid')).toMatchObject({
      sentence: '25 USDT arrived at the address of this intent on polygon, but it asks for USDC.',
      evidence: { blockchain_address: to, payments: [{ tx_hash: usdt.txHash, token: 'USDT', network: 'polygon' }] },
    });
    const other = await world.chain('bnb').pay({ to, token: 'USDC', amount: 25n * 10n ** 18n });
    await untilExplained(intent.id, 'paid_in_another_token', 'paid_on_another_network', 'not_paid');
    const [, onBnb] = (await explain(intent.id)).findings;
    expect(onBnb).toMatchObject({
      sentence: '25 USDC arrived at the address of this intent on bnb, but it asks for USDC on polygon.',
      evidence: { payments: [{ tx_hash: other.txHash, network: 'bnb', amount_decimal: '25' }] },
    });
    expect((await getIntent(api, intent.id)).received_amount_cents).toBe(0);
  });

  it('reports a payment that a reorg removed, and one that came back [F-64]', async () => {
    const intent = await intentWithAddress(api);
    const paid = await pay(world, intent, 25n * USDC);
    await untilExplained(intent.id, 'awaiting_confirmations');
    const raw = await world.chain('polygon').dropTransaction(paid.txHash);
    await world.chain('polygon').mine();
    expect(await untilExplained(intent.id, 'payment_orphaned', 'not_paid')).toMatchObject({
      evidence: { payments: [{ tx_hash: paid.txHash, status: 'orphaned', confirmations: 0 }] },
    });
    await world.chain('polygon').resend(raw);
    await untilExplained(intent.id, 'awaiting_confirmations');
  });

  it('says of late and missing money where it is [E-52] [E-54]', async () => {
    const [unpaid, short] = [await intentWithAddress(api), await intentWithAddress(api)];
    await pay(world, short, 10n * USDC);
    await untilStatus(api, short.id, 'processing');
    await makeFinal(world);
    await Promise.all([expire(api, unpaid.id), expire(api, short.id)]);
    await untilExplained(unpaid.id, 'expired_unpaid');
    expect(await untilExplained(short.id, 'underpaid_at_end')).toMatchObject({
      sentence: '10 USDC of 25 USDC had arrived by the deadline: 15 USDC (15.00 USD) too little.',
    });
    await pay(world, unpaid, 25n * USDC);
    await makeFinal(world);
    const pocket = await untilCredited(api, 3500);
    expect(await untilExplained(unpaid.id, 'paid_late', 'expired_unpaid')).toMatchObject({
      sentence: '25 USDC arrived after this intent had ended; it is in your pocket.',
      evidence: { pocket_id: pocket.id, payments: [{ status: 'confirmed' }] },
    });
  });

  it("is the merchant's own: an intent of another merchant is not found", async () => {
    const intent = await createIntent(world.api);
    const answers = [`/v1/payment-intents/${intent.id}/explain`, '/v1/payment-intents/pi_unknown/explain'].map((path) =>
      api.get(path),
    );
    for (const answer of await Promise.all(answers)) {
      expect(refusalOf(answer)).toEqual({ status: 404, code: 'not_found' });
    }
  });
});

describe('an explanation of an undelivered completion', () => {
  let receiver: Receiver;
  let endpoint: { readonly id: string };
  beforeEach(async () => {
    receiver = await startReceiver((_request, response) => response.writeHead(500).end(SECRET));
    const url = `http://127.0.0.1:${receiver.port}/hooks?token=${SECRET}`;
    ({ body: endpoint } = await api.post<{ id: string }>('/v1/webhook-endpoints', { url }));
  });
  afterEach(() => receiver.close());

  it('shows each attempt that failed up to the dead letter, and never what is secret', async () => {
    const intent = await intentWithAddress(api);
    await pay(world, intent, 25n * USDC);
    await makeFinal(world);
    await untilStatus(api, intent.id, 'completed');
    const refused = await untilExplained(intent.id, 'webhook_not_acknowledged', 'paid_completed');
    expect(refused.sentence).toMatch(
      /attempt 1 of 6 was answered 500, and the next one follows in \d+ (seconds|minutes)\.$/,
    );
    expect(refused.evidence.deliveries).toEqual([
      {
        id: expect.stringMatching(/^dlv_/),
        event_id: expect.stringMatching(/^evt_/),
        event_type: 'payment_intent.completed',
        webhook_endpoint_id: endpoint.id,
        url: `http://127.0.0.1:${receiver.port}/hooks`,
        status: 'pending',
        attempts: 1,
        last_attempt_at: expect.any(String),
        last_response_status: 500,
        last_error_code: null,
        next_attempt_at: expect.any(String),
      },
    ]);

    await api.call('PATCH', `/v1/webhook-endpoints/${endpoint.id}`, { body: { enabled: false } });
    await untilExplained(intent.id, 'webhook_endpoint_disabled', 'paid_completed');
    await api.call('PATCH', `/v1/webhook-endpoints/${endpoint.id}`, { body: { enabled: true } });

    for (let recorded = 1; recorded < 6; recorded++) {
      await eventually(
        async () => {
          const due = await query(
            world.database,
            `update delivery set due_at = now() where endpoint_id = $1 and status = 'pending' and attempts = $2 returning id`,
            [endpoint.id, recorded],
          );
          return due.length;
        },
        (seen) => seen === 1,
      );
      await world.service.get(DelivererService).drain();
    }
    const dead = await untilExplained(intent.id, 'webhook_dead_lettered', 'paid_completed');
    expect(dead.evidence.deliveries).toMatchObject([{ status: 'dead_letter', attempts: 6, next_attempt_at: null }]);
    expect(JSON.stringify(await explain(intent.id))).not.toContain(SECRET);
  });
});

// Last, since no listener reads the chains afterwards.
describe('an explanation while no listener reads the chain', () => {
  it('says so before it says that nothing was paid, and names the lag [E-62]', async () => {
    const [addressed, bare] = [await intentWithAddress(api), await createIntent(api)];
    await world.service.get(ListenerService).stop();
    await pay(world, addressed, 25n * USDC);
    await query(
      world.database,
      `update chain_cursor set synced_at = now() - interval '5 minutes', head_height = height + 7`,
    );
    const behind = await untilExplained(addressed.id, 'listener_behind', 'not_paid');
    expect(behind.sentence).toContain('last in sync with the chain 5 minutes ago, with 7 blocks still to be read');
    expect(behind.evidence.listener).toMatchObject({ blocks_behind: 7 });
    await query(
      world.database,
      `update chain_cursor set paused_at = now() - interval '3 minutes', paused_by = 'kim', paused_reason = 'Nodes move.'`,
    );
    const paused = await untilExplained(addressed.id, 'listener_paused', 'not_paid');
    expect(paused.sentence).toMatch(/^The operator paused reading polygon 3 minutes ago, at block \d+: /);
    await query(world.database, `update chain_cursor set halted_reason = 'A reorg below finality.'`);
    await untilExplained(addressed.id, 'listener_halted', 'not_paid');
    await query(world.database, `update chain set active = false`);
    await untilExplained(addressed.id, 'network_disabled', 'not_paid');
    await untilExplained(bare.id, 'network_disabled', 'awaiting_address');
  });
});
