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

const read = async (): Promise<Marks> => marksOf((await world.database.write(liveState([]), { waits: false })).marks);

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

  it('change with how far a chain is read, its nodes and the end of its lease', async () => {
    const lease = (until: string) =>
      world.query(
        `insert into lease (name, holder, epoch, expires_at) values ($1, 'one', 1, now() + $2::interval)
         on conflict (name) do update set expires_at = excluded.expires_at`,
        [`listener:${intent.chain.chainRef}`, until],
      );
    expect(await changedBy(() => lease('1 hour'))).toEqual(inSandbox('networks'));
    expect(await changedBy(() => lease('2 hours'))).toEqual([]);
    expect(await changedBy(() => lease('-1 hours'))).toEqual(inSandbox('networks'));
    const node = `insert into rpc_node (chain_ref, node, preference, is_up, is_foreign, recent_steps, recent_failures)
                  values ($1, 'https://one.example', 0, true, false, 1, 0)`;
    expect(await changedBy(() => world.query(node, [intent.chain.chainRef]))).toEqual(inSandbox('networks'));
    expect(await changedBy(() => world.query(`update rpc_node set is_up = false`))).toEqual(inSandbox('networks'));
  });

  it('change with an address of a pool, and with each that is assigned', async () => {
    const added = `insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
                   values ('live', 'tron', 7, 'm/7', 'T1', 'T1'), ('live', 'tron', 8, 'm/8', 'T2', 'T2')`;
    expect(await changedBy(() => insertLoose(added))).toEqual(['live wallet_pool']);
    const assigned = `update pool_address set intent_id = 'pi_1', assigned_at = now() where address = 'T1'`;
    expect(await changedBy(() => insertLoose(assigned))).toEqual(['live wallet_pool']);
  });

  it('change with our own funds and what moves them', async () => {
    const { chainRef: id } = intent.chain;
    const inTreasury = inSandbox('treasury');
    expect(
      await changedBy(() =>
        insertLoose(`insert into hot_balance (chain_ref, token_contract, amount, height) values ('${id}', '0x', 5, 1)`),
      ),
    ).toEqual(inTreasury);
    expect(await changedBy(() => insertLoose(`update hot_balance set amount = 6`))).toEqual(inTreasury);
    const topUp = `insert into top_up (id, chain_ref, token_contract, amount, from_height, to_height)
                   values ('tup_1', '${id}', '0x', 5, 1, 2)`;
    expect(await changedBy(() => insertLoose(topUp))).toEqual(inTreasury);
    const sweep = `insert into sweep (id, chain_ref, reason) values ('swp_1', '${id}', 'threshold')`;
    expect(await changedBy(() => insertLoose(sweep))).toEqual(inTreasury);
    expect(await changedBy(() => insertLoose(`update sweep set signed_at = now()`))).toEqual(inTreasury);
  });

  it('change with prices, counted hours, audits of the books and lists of sanctions', async () => {
    const price = `insert into price_round (id, environment, prices) values ('prd_1', 'live', '{}')`;
    expect(await changedBy(() => world.query(price))).toEqual(['live prices']);
    const hour = `insert into hourly_stat (environment, hour, name, value)
                  values ('live', date_trunc('hour', now()), 'intents_created', 1)`;
    expect(await changedBy(() => world.query(hour))).toEqual(['live charts']);
    const audit = `insert into books_audit (scope, sealed_to, seal_hash, started_at)
                   values ('everything', 0, repeat('0', 64), now())`;
    expect(await changedBy(() => world.query(audit))).toEqual(['live books', 'sandbox books']);
    const list = `insert into sanctions_import (source, published_on, addresses, content_hash)
                  values ('here', current_date, 1, repeat('0', 64))`;
    expect(await changedBy(() => world.query(list))).toEqual(['live sanctions', 'sandbox sanctions']);
  });

  it('change with what staff and operators do, and with the merchants and members to whom they do it', async () => {
    const act = (action: string, environment: Environment | null) => () =>
      world.query(
        `insert into audit_entry (actor, action, subject, details, environment) values ('kim', $1, 'one', '{}', $2)`,
        [action, environment],
      );
    expect(await changedBy(act('withdrawal.cancel', 'live'))).toEqual(['live audit']);
    expect(await changedBy(act('merchant.verify', 'live'))).toEqual([
      'live audit',
      'live merchants',
      'sandbox merchants',
    ]);
    expect(await changedBy(act('api_key.revoke', null))).toEqual([
      'live audit',
      'live merchants',
      'sandbox audit',
      'sandbox merchants',
    ]);
    expect(await changedBy(act('staff.disable', 'sandbox'))).toEqual(['live team', 'sandbox audit', 'sandbox team']);
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
