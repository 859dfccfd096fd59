import { z } from 'zod';
import { Metrics } from '../../src/platform/metrics.js';
import type { RunningService } from '../../src/app/start/service.js';
import { addressOf, getIntent, intentWithAddress, untilStatus } from '../http/intents.js';
import { BNB_FINALITY, type BnbTestnet, startBnbTestnet } from '../support/bnb-testnet.js';
import { expectBooksInOrder } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { startListener } from '../support/listener-process.js';
import { type Lie, ProxyNode } from '../support/proxy-node.js';
import { startWorld, type World } from '../support/world.js';
import { progressOf, untilRead, untilWatched } from './watching.js';

const BLOCK = z.looseObject({ number: z.string() });
const LARGE_CENTS = 200_000;

let world: World;
let testnet: BnbTestnet;
let first: ProxyNode;
let second: ProxyNode;
let listener: RunningService;

beforeAll(async () => {
  [world, testnet] = await Promise.all([startWorld(), startBnbTestnet()]);
  [first, second] = await Promise.all([ProxyNode.start(testnet.url), ProxyNode.start(testnet.url)]);
  listener = await startListener(world, `${first.url},${second.url}`);
  await untilWatched(world, 'bnb');
});
afterAll(async () => {
  await listener.stop();
  await Promise.all([first.stop(), second.stop(), testnet.stop()]);
  await world.stop();
});
beforeEach(() => untilRead(world, testnet));
afterEach(async () => {
  first.lie = null;
  second.lie = null;
  await expectBooksInOrder(world.database);
});

/** An intent over `cents` that is paid in full; its payment is as deep as finality asks for. */
async function paid(cents = 2_500) {
  const intent = await intentWithAddress(world.api, { network: 'bnb', amount_cents: cents });
  await testnet.controls.pay({ to: addressOf(intent), token: 'USDC', amount: BigInt(intent.crypto_amount ?? 0) });
  await testnet.controls.mine(BNB_FINALITY);
  return intent;
}

async function metric(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number | undefined> {
  const found = await listener.get(Metrics).registry.getSingleMetric(name)?.get();
  const isIts = (of: Readonly<Record<string, unknown>>) =>
    Object.entries(labels).every(([key, text]) => of[key] === text);
  return found?.values.find((value) => isIts(value.labels))?.value;
}

/** The status of bnb, as merchants and monitors see it. */
async function status(): Promise<{ readonly reason: string | null; readonly ready: unknown }> {
  const { body } = await world.api.get<{ data: { network: string; status: string; status_reason: string | null }[] }>(
    '/v1/networks',
  );
  const shown = body.data.find(({ network }) => network === 'bnb');
  const ready: unknown = await (await fetch(`${world.url}/health/ready`)).json();
  const { chains } = z.looseObject({ chains: z.array(z.looseObject({ chain: z.string() })) }).parse(ready);
  return {
    reason: shown?.status === 'degraded' ? shown.status_reason : null,
    ready: chains.find(({ chain }) => chain.startsWith('sandbox-bnb')),
  };
}

/** Answers some questions otherwise. */
const lieAbout =
  (methods: readonly string[], lie: (result: unknown, params: readonly unknown[]) => unknown): Lie =>
  async (question, ask) => {
    const { result } = await ask(question);
    return methods.includes(question.method) ? lie(result, question.params) : result;
  };

describe('a network with two nodes', () => {
  it('is read from the second while the first is dead, and from the first again once it is back [F-73]', async () => {
    const before = (await metric('coffer_rpc_failovers_total')) ?? 0;
    first.lie = () => Promise.reject(new Error('dead'));
    await untilStatus(world.api, (await paid()).id, 'completed');
    expect(await metric('coffer_rpc_node_up', { node: first.url })).toBe(0);
    expect(await metric('coffer_rpc_failovers_total')).toBe(before + 1);
    first.lie = null;
    await eventually(
      () => metric('coffer_rpc_node_up', { node: first.url }),
      (seen) => seen === 1,
      30_000,
    );
    await eventually(
      () => metric('coffer_rpc_failovers_total'),
      (seen) => seen === before + 2,
      15_000,
    );
    expect(await metric('coffer_rpc_node_foreign', { node: first.url })).toBe(0);
  });

  it('loses no payment whose logs the first node hides, since the bloom of the block speaks of them [F-68]', async () => {
    first.lie = lieAbout(['eth_getLogs'], () => []);
    const asked = second.count('eth_getLogs');
    await untilStatus(world.api, (await paid()).id, 'completed');
    expect(second.count('eth_getLogs')).toBeGreaterThan(asked);
  });

  it('credits a large payment once both nodes report it, and meanwhile everything else [F-76]', async () => {
    second.lie = lieAbout(['eth_getLogs'], () => []);
    const large = await paid(LARGE_CENTS);
    const small = await paid();
    await untilStatus(world.api, small.id, 'completed');
    await eventually(
      async () => (await metric('coffer_deposit_denials_total')) ?? 0,
      (seen) => seen >= 1,
    );
    const waiting = await getIntent(world.api, large.id);
    expect(waiting.status).toBe('processing');
    expect(waiting.payments).toMatchObject([{ status: 'pending' }]);
    second.lie = null;
    await untilStatus(world.api, large.id, 'completed');
  });

  it('sees payments and makes none final while finality stalls, and says why [F-78]', async () => {
    const stalledAt = (await progressOf(world, 'bnb'))?.finalizedHeight ?? 0;
    const stall = lieAbout(['eth_getBlockByNumber'], (result, [tag]) =>
      tag === 'finalized' ? { ...BLOCK.parse(result), number: `0x${stalledAt.toString(16)}` } : result,
    );
    [first.lie, second.lie] = [stall, stall];
    const intent = await paid();
    await testnet.controls.mine(2 * BNB_FINALITY + 32);
    await untilRead(world, testnet);
    const { reason, ready } = await eventually(async () => {
      const now = await status();
      return now.reason === null ? null : now;
    });
    expect(reason).toMatch(/^The chain has not made its last \d+ blocks final/);
    expect(ready).toMatchObject({ status: 'degraded', reason, can_collect: true });
    expect((await getIntent(world.api, intent.id)).status).toBe('processing');
    expect((await progressOf(world, 'bnb'))?.finalizedHeight).toBe(stalledAt);
    [first.lie, second.lie] = [null, null];
    await untilStatus(world.api, intent.id, 'completed');
    await eventually(
      async () => (await status()).reason,
      (seen) => seen === null,
    );
  });
});
