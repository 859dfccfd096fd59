import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import { getIntent, untilStatus } from '../http/intents.js';
import { BNB_FINALITY, type BnbTestnet } from '../support/bnb-testnet.js';
import { eventsOf, expectBooksInOrder, pocketOf } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { startListener } from '../support/listener-process.js';
import { ProxyNode } from '../support/proxy-node.js';
import { query } from '../support/sql.js';
import type { World } from '../support/world.js';
import { WatchedTestnet } from './watched-testnet.js';
import { progressOf, untilRead } from './watching.js';

let watched: WatchedTestnet;
let world: World;
let testnet: BnbTestnet;

beforeAll(async () => {
  watched = await WatchedTestnet.start();
  ({ world, testnet } = watched);
});
afterAll(() => watched.stop());
afterEach(() => expectBooksInOrder(world.database));

async function expectCreditedOnce(intent: PaymentIntentObject): Promise<void> {
  await untilStatus(world.api, intent.id, 'completed');
  expect(await eventsOf(world.database, intent.id)).toEqual(['processing', 'payment_received', 'completed']);
}

describe('a listener that was down', () => {
  it('reads 320 blocks and the payments in them, in order and once [E-63]', async () => {
    const before = await pocketOf(world.database, world.merchantId, 'bnb');
    const early = await watched.intent();
    const middle = await watched.intent();
    const last = await watched.intent();
    await watched.stopListener();
    await watched.pay(early);
    await testnet.controls.mine(150);
    await watched.pay(middle);
    await testnet.controls.mine(150);
    await watched.pay(last);
    await testnet.controls.mine(BNB_FINALITY + 3);
    await watched.startListener();
    // The first of them is final when it is first seen: it passes through `processing` within one step.
    for (const intent of [early, middle, last]) await expectCreditedOnce(intent);
    const total = [early, middle, last].reduce((sum, { crypto_amount: due }) => sum + BigInt(due ?? 0), 0n);
    expect((await pocketOf(world.database, world.merchantId, 'bnb')) - before).toBe(total);
  });
});

/** Everything that reading the chain may change, as one text. */
async function digest(): Promise<string> {
  const tables = ['deposit', 'payment_intent', 'entry', 'posting', 'account', 'event', 'pool_address'];
  const rows = await Promise.all(
    tables.map((table) => query(world.database, `select to_jsonb(t) as row from ${table} t order by 1`)),
  );
  return JSON.stringify(rows);
}

describe('a cursor that is set back', () => {
  it('by 50 blocks lets the listener read them again, and changes nothing [F-81]', async () => {
    const pending = await watched.intent();
    await watched.pay(pending);
    await untilStatus(world.api, pending.id, 'processing');
    await untilRead(world, testnet);
    await expectBooksInOrder(world.database);
    await eventually(
      () => query(world.database, `select from event where sequence is null`),
      (unrelayed) => unrelayed.length === 0,
    );
    const before = await digest();
    await watched.stopListener();
    await query(
      world.database,
      `update chain_cursor cursor set height = block.height, hash = block.hash, block_time = block.block_time
         from chain_block block, chain
        where chain.network = 'bnb' and cursor.chain_ref = chain.id
          and block.chain_ref = cursor.chain_ref and block.height = cursor.height - 50`,
    );
    const proxy = await ProxyNode.start(testnet.url);
    await watched.startListener(proxy.url);
    await untilRead(world, testnet);
    expect(proxy.count('eth_getLogs')).toBe(50);
    await expectBooksInOrder(world.database);
    expect(await digest()).toBe(before);
    await watched.stopListener();
    await proxy.stop();
    await watched.startListener();
    await testnet.controls.mine(BNB_FINALITY);
    await expectCreditedOnce(pending);
  });
});

describe('two listeners of one chain', () => {
  it('have one leader that records, and the other takes over within 5 s [D-50]', async () => {
    const nodes = await Promise.all([ProxyNode.start(testnet.url), ProxyNode.start(testnet.url)]);
    const [first, second] = nodes;
    if (first === undefined || second === undefined) throw new Error('There are two nodes.');
    await watched.stopListener();
    const former = (await progressOf(world, 'bnb'))?.epoch ?? 0;
    const leader = await startListener(world, first.url);
    // Its election is not enough: the cursor shows the epoch of the last writer.
    await eventually(
      async () => (await progressOf(world, 'bnb'))?.epoch ?? 0,
      (seen) => seen > former,
    );
    await watched.startListener(second.url);
    const epoch = (await progressOf(world, 'bnb'))?.epoch ?? 0;

    const one = await watched.intent();
    await watched.pay(one);
    await testnet.controls.mine(BNB_FINALITY);
    await expectCreditedOnce(one);
    // The second one was on standby: it has asked the chain once, to register it, and read no block.
    expect(second.count('eth_getLogs')).toBe(0);
    expect((await progressOf(world, 'bnb'))?.epoch).toBe(epoch);

    await leader.stop();
    await eventually(
      async () => (await progressOf(world, 'bnb'))?.epoch ?? 0,
      (seen) => seen > epoch,
      5_000,
    );
    const two = await watched.intent();
    await watched.pay(two);
    await testnet.controls.mine(BNB_FINALITY);
    await expectCreditedOnce(two);
    expect((await progressOf(world, 'bnb'))?.epoch).toBe(epoch + 1);
    expect(second.count('eth_getLogs')).toBeGreaterThan(0);
    // Before its node is: a listener goes down in order.
    await watched.stopListener();
    await Promise.all(nodes.map((node) => node.stop()));
    await watched.startListener();
  });

  it('cannot both record: the one that was deposed without knowing is fenced out [D-50]', async () => {
    const [lease] = await query<{ name: string }>(
      world.database,
      `select name from lease where name like 'listener:%bnb%'`,
    );
    // The database's state after a take-over. The old leader is not paused here, so its next step is fenced off.
    await query(
      world.database,
      `update lease set epoch = epoch + 1, holder = 'another process', expires_at = now() + interval '1 second'
        where name = $1`,
      [lease?.name ?? ''],
    );
    const before = await progressOf(world, 'bnb');
    const intent = await watched.intent();
    await watched.pay(intent);
    await testnet.controls.mine(BNB_FINALITY);
    // No process reads while the other one holds the lease; then the listener leads again, under a new epoch.
    await expectCreditedOnce(intent);
    expect((await progressOf(world, 'bnb'))?.epoch).toBeGreaterThan((before?.epoch ?? 0) + 1);
    expect((await getIntent(world.api, intent.id)).payments).toHaveLength(1);
  });
});
