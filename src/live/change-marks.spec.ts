import { aChain, aDeposit, anIntent, anIntentWithoutAddress, type SeededIntent } from '../../test/support/factories.js';
import { query } from '../../test/support/sql.js';
import { addDeliveries } from '../../test/webhooks/many-deliveries.js';
import { answering, WebhookWorld } from '../../test/webhooks/webhook-world.js';
import { newId } from '../domain/ids.js';
import type { Environment } from '../domain/network.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { PocketsService } from '../ledger/pockets.service.js';
import { compiled } from '../platform/sql/sql.js';
import { changedTopics, type Marks, marksOf } from './changed-topics.js';
import { liveState } from './live-state.sql.js';

let world: WebhookWorld;
let intent: SeededIntent;
let endpointId: string;

beforeAll(async () => {
  world = await WebhookWorld.open();
  const { url } = await world.receive(answering(500));
  endpointId = (await world.addEndpoint({ url, event_types: ['payment_intent.completed'] })).id;
  intent = await anIntent(world.database, { tenant: world.tenant, chain: await aChain(world.database) });
});
afterAll(() => world.close());

const read = async (): Promise<Marks> => marksOf((await world.database.write(liveState([]))).marks);

/** `environment topic` of all that a fact changes. */
async function changedBy(fact: () => Promise<unknown>): Promise<string[]> {
  const before = await read();
  await fact();
  const changed = changedTopics(before, await read());
  return [...changed].flatMap(([environment, topics]) => topics.map((topic) => `${environment} ${topic}`)).toSorted();
}

const inSandbox = (...topics: readonly string[]): string[] => topics.map((topic) => `sandbox ${topic}`);

/** Inserts rows whose tenants and pockets do not exist. */
const insertLoose = (text: string): Promise<void> =>
  world.home.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(tx, text);
  });

const aNote = (environment: Environment): Promise<unknown> =>
  world.query(
    `insert into note (id, environment, subject_kind, subject_id, author, body)
     values ($1, $2, 'payment_intent', 'pi_1', 'kim@example.com', 'Called.')`,
    [newId('note_'), environment],
  );

describe('the marks of what the console shows', () => {
  it('stay as they are while nothing happens', async () => {
    expect(await changedBy(async () => undefined)).toEqual([]);
  });

  it('change with a new intent, and with a status that an old one reaches', async () => {
    expect(await changedBy(() => anIntentWithoutAddress(world.database, world.tenant))).toEqual(inSandbox('intents'));
    expect(await changedBy(() => world.record('payment_intent.expired'))).toEqual(inSandbox('intents'));
  });

  it('change with a payment, with each block that confirms it, and with its booking', async () => {
    const head = () => world.query(`update chain_cursor set head_height = head_height + 1`);
    expect(await changedBy(head)).toEqual([]);
    expect(await changedBy(() => aDeposit(world.database, intent))).toEqual(inSandbox('intents', 'pockets'));
    expect(await changedBy(head)).toEqual(inSandbox('intents'));
    await world.query(`update deposit set status = 'orphaned'`);
    const { asset, chainAccountId, availableAccountId } = await world.database.transaction((tx) =>
      new PocketsService().depositAccounts(tx, world.tenant, intent.chain),
    );
    const legs = [
      { accountId: chainAccountId, asset, amount: -1n },
      { accountId: availableAccountId, asset, amount: 1n },
    ];
    const booking = { reference: 'deposit:one', kind: 'deposit', environment: 'sandbox', legs } as const;
    expect(await changedBy(() => world.database.transaction((tx) => new LedgerService().book(tx, booking)))).toEqual(
      inSandbox('pockets'),
    );
  });

  it('change with a delivery, with each attempt, and when it is a dead letter', async () => {
    expect(await changedBy(() => world.publish(1, 'payment_intent.completed'))).toEqual(
      inSandbox('deliveries', 'intents'),
    );
    expect(await changedBy(() => world.deliver())).toEqual(inSandbox('dead_letters', 'deliveries', 'endpoints'));
    expect(await changedBy(() => world.exhaust())).toEqual(inSandbox('dead_letters', 'deliveries', 'endpoints'));
  });

  it('change with an attempt of a delivery that is older than all that are looked at', async () => {
    await addDeliveries(world, { endpointId, count: 1, status: 'pending', minutesAgo: 600 });
    await addDeliveries(world, { endpointId, count: 250, status: 'delivered' });
    expect(
      await changedBy(() =>
        world.query(`update delivery set due_at = due_at + interval '1 second' where status = 'pending'`),
      ),
    ).toEqual(inSandbox('dead_letters', 'deliveries'));
  });

  it('change with an endpoint', async () => {
    expect(await changedBy(() => world.setEnabled(endpointId, false))).toEqual(inSandbox('endpoints'));
  });

  it('change with a withdrawal, and with whatever it waits for', async () => {
    expect(
      await changedBy(() =>
        insertLoose(
          `insert into withdrawal (id, merchant_id, environment, pocket_id, chain_ref, network, token, token_contract,
             token_decimals, minor_unit_exponent, amount_cents, amount, network_fee_cents, fee_amount, destination,
             destination_key, fee_strategy, status, waiting_reason, created_at, updated_at)
           values ('wd_1', 'm', 'live', 'p', 'c', 'polygon', 'USDC', '0x', 6, 2, 1, 1, 1, 1, '0x', '0x', 'standard',
             'broadcasting', 'approval_missing', now(), now())`,
        ),
      ),
    ).toEqual(['live withdrawals']);
    expect(await changedBy(() => insertLoose(`update withdrawal set waiting_reason = 'gas_missing'`))).toEqual([
      'live withdrawals',
    ]);
  });

  it('change with a note, only in its environment', async () => {
    expect(await changedBy(() => aNote('sandbox'))).toEqual(['sandbox notes']);
    expect(await changedBy(() => aNote('live'))).toEqual(['live notes']);
  });

  it('change with a replay job and its progress', async () => {
    expect(
      await changedBy(() =>
        world.query(
          `insert into replay_job (id, environment, verb, criteria, filter_key, requested_by, status, created_at, updated_at)
           values ('rpl_1', 'sandbox', 'resend', '{}', 'key', 'kim@example.com', 'running', now(), now())`,
        ),
      ),
    ).toEqual(inSandbox('replay_jobs'));
    const target = `insert into replay_target (job_id, endpoint_id, status, reached_at) values ('rpl_1', $1, 'open', now())`;
    expect(await changedBy(() => world.query(target, [endpointId]))).toEqual(inSandbox('replay_jobs'));
    expect(await changedBy(() => world.query(`update replay_target set sent = sent + 1`))).toEqual(
      inSandbox('replay_jobs'),
    );
  });

  it('change with an API request', async () => {
    expect(
      await changedBy(() =>
        insertLoose(
          `insert into api_request (environment, id, merchant_id, api_key_id, method, route, replayed, duration_ms, created_at)
           values ('live', 'req_1', 'm', 'k', 'POST', '/v1/payment-intents', false, 3, now())`,
        ),
      ),
    ).toEqual(['live requests']);
  });

  it('are read along indexes alone, with the sessions', async () => {
    const plan = await world.database.transaction(async (tx) => {
      // A table of a few rows is read whole, unless that costs more than any index.
      await query(tx, 'set local enable_seqscan = off');
      return query<{ 'QUERY PLAN': string }>(tx, `explain (generic_plan) ${compiled(liveState([newId('ses_')])).text}`);
    });
    const lines = plan.map((line) => line['QUERY PLAN']);
    expect(lines.filter((line) => line.includes('Seq Scan on'))).toEqual([]);
    expect(lines.filter((line) => /Index (Only )?Scan/.test(line)).length).toBeGreaterThan(15);
    // Nothing but the rows that the marks read is ever sorted.
    expect(
      lines.filter((line) => line.includes('Sort Key')).filter((line) => /created_at|height|due_at/.test(line)),
    ).toEqual([]);
  });
});
