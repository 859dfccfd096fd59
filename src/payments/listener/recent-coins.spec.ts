import { z } from 'zod';
import { AnvilNode } from '../../../test/support/anvil-node.js';
import { blockNodes } from '../../../test/support/block-nodes.js';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import { aChain, aMerchant, anIntent, freeAddresses } from '../../../test/support/factories.js';
import { holdLease } from '../../../test/support/leases.js';
import { copiesOfIntent } from '../../../test/support/intent-copies.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { ProbeContract } from '../../../test/support/probe-contracts.js';
import { ProxyNode } from '../../../test/support/proxy-node.js';
import { query } from '../../../test/support/sql.js';
import type { NetworkProfile } from '../../chains/networks.js';
import { ChainRegistry } from '../../chains/registry.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { createLogger } from '../../platform/logging.js';
import { ChainListener } from './chain-listener.js';
import { DepositRecorder } from './deposit-recorder.service.js';
import { WatchedAddresses } from './watched-addresses.js';

const POLYGON: NetworkProfile = {
  environment: 'sandbox',
  network: 'polygon',
  addressFamily: 'evm',
  chainId: '31337',
  tokens: [{ symbol: 'POL', contract: NATIVE_COIN, decimals: 18, minorUnitExponent: 8 }],
  finality: { minDepth: 3 },
  usualFinalityDepth: 3,
  blockIntervalMs: 500,
  quietGraceMs: 0,
  transactionLifetimeMs: 0,
};
const LEASE = { name: 'listener', epoch: 7 };
const RECENT = 10_000;
const NOTICED_WITHIN_MS = 15_000;
const CALL = z.tuple([z.object({ data: z.string() })]).rest(z.unknown());

let db: TestDatabase;
let node: AnvilNode;
let proxy: ProxyNode;
let registry: ChainRegistry;
let log: LogLines;

beforeAll(async () => {
  [db, node] = await Promise.all([freshDatabase(), AnvilNode.start()]);
  proxy = await ProxyNode.start(node.url);
  registry = new ChainRegistry([{ profile: POLYGON, rpcUrls: [proxy.url] }]);
  log = new LogLines();
});
afterAll(async () => {
  await registry.close();
  await proxy.stop();
  await node.stop();
  await db.drop();
});

/** A listener of the chain in the books, which has recorded the head of the node. */
async function listenTo(chainRef: string): Promise<ChainListener> {
  const { database } = db;
  const { height, hash } = await node.head();
  await holdLease(database, LEASE);
  await query(database, `update chain_cursor set height = $2, hash = $3, finalized_height = 0 where chain_ref = $1`, [
    chainRef,
    height,
    hash,
  ]);
  await query(database, `insert into chain_block values ($1, $2, $3, $3, now())`, [chainRef, height, hash]);
  const nodes = blockNodes(registry, 'polygon');
  const logger = createLogger('warn', { destination: log });
  const nothing = (): void => undefined;
  return new ChainListener({
    chainRef,
    profile: POLYGON,
    nodes,
    secondNodeAboveCents: 0,
    watched: new WatchedAddresses(database, 'sandbox', 'evm'),
    recorder: new DepositRecorder(database, logger),
    database,
    lease: LEASE,
    logger,
    onTouched: nothing,
    onProgress: nothing,
    onDoubt: nothing,
    onPaused: nothing,
    onDenied: nothing,
  });
}

/** Times at which the node was asked for the balances of many addresses, without the slow turns over those of `free`. */
function watchCalls(free: readonly string[]): number[] {
  const times: number[] = [];
  proxy.lie = async (question, ask) => {
    const call = question.method === 'eth_call' ? CALL.parse(question.params)[0].data : null;
    if (call !== null && !free.some((address) => call.includes(address.slice(2)))) times.push(performance.now());
    return (await ask(question))['result'];
  };
  return times;
}

it('coins that a contract sends to one of 10,000 recent intents in a token are noticed within 15 s, at two requests a second at most [G-93] [G-95]', async () => {
  const { database } = db;
  const polygon = await aChain(database, { network: 'polygon', coin: 'POL' });
  const usdc = { ...polygon, symbol: 'USDC', contract: `0x${'a1'.repeat(20)}`, decimals: 6 };
  const intent = await anIntent(database, { tenant: await aMerchant(database), chain: usdc });
  const addresses = await copiesOfIntent(database, intent.id, RECENT - 1);
  const ended = addresses.slice(0, 1_000);
  await query(
    database,
    `update payment_intent set status = 'expired', updated_at = now() - interval '23 hours' where address = any($1)`,
    [ended],
  );
  const free = await freeAddresses(database, 1);
  const purse = await ProbeContract.deploy(node, 'Purse');
  const times = watchCalls(free);
  const listener = await listenTo(polygon.chainRef);
  // The second page was read by then, and is read again a whole round later; no slow turn finds it before.
  await eventually(() => times.length >= 3);
  const paid = [addresses.at(-1_500) ?? '', ended[0] ?? ''];
  await purse.sendWith(12n, 'forward', paid, [5n, 7n]);
  const sentAtMs = performance.now();
  const deposits = (): Promise<unknown[]> =>
    query(
      database,
      `select to_address, amount, tx_hash, status, unattributed_reason as reason from deposit order by 2`,
    );
  await eventually(async () => (await deposits()).length === 2, NOTICED_WITHIN_MS);
  expect(performance.now() - sentAtMs).toBeLessThan(NOTICED_WITHIN_MS);
  const unasked = { tx_hash: null, status: 'seen', reason: 'other_token' };
  expect(await deposits()).toEqual([
    { to_address: paid[0], amount: '5', ...unasked },
    { to_address: paid[1], amount: '7', ...unasked },
  ]);
  await listener.stop();
  // The first round was over by then, and no later one.
  expect(times.length).toBeGreaterThan(10);
  expect(times.length).toBeLessThanOrEqual(20);
  // The arrival of a single request says little on a busy machine, so the whole span is compared.
  const leastSpanMs = Math.floor((times.length - 1) / 2) * 1_000;
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(leastSpanMs - 500);
  expect(log.lines).toEqual([]);
}, 60_000);
