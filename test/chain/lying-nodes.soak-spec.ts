import { z } from 'zod';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import type { RunningService } from '../../src/app/start/service.js';
import { addressOf, getIntent, intentWithAddress, untilStatus } from '../http/intents.js';
import { BNB_FINALITY, type BnbTestnet, startBnbTestnet } from '../support/bnb-testnet.js';
import { eventsOf, expectBooksInOrder } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { startListener } from '../support/listener-process.js';
import { behind, type Lie, ProxyNode } from '../support/proxy-node.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';
import { type Progress, progressOf, untilRead, untilWatched } from './watching.js';

const HEADER = z.looseObject({ number: z.string() });

let world: World;
let testnet: BnbTestnet;
let proxy: ProxyNode;
let listener: RunningService;
let before: Progress | null;

beforeAll(async () => {
  [world, testnet] = await Promise.all([startWorld(), startBnbTestnet()]);
  proxy = await ProxyNode.start(testnet.url);
  listener = await startListener(world, proxy.url);
  // A head that is older than 30 s is not collected on, and the world may take that long.
  await testnet.controls.mine();
  await untilWatched(world, 'bnb');
});
afterAll(async () => {
  await listener.stop();
  await proxy.stop();
  await testnet.stop();
  await world.stop();
});
beforeEach(async () => {
  await untilRead(world, testnet);
  before = await progressOf(world, 'bnb');
});
afterEach(async () => {
  // No lie of one node is a reason to halt a chain.
  expect((await progressOf(world, 'bnb'))?.haltedReason).toBeNull();
  await expectBooksInOrder(world.database);
});

/** Waits until the listener has asked for `times` more headers. */
async function asks(times: number): Promise<void> {
  const seen = proxy.count('eth_getBlockByNumber');
  await eventually(
    () => proxy.count('eth_getBlockByNumber'),
    (now) => now >= seen + times,
  );
}

async function paid(): Promise<PaymentIntentObject> {
  const intent = await intentWithAddress(world.api, { network: 'bnb' });
  const amount = BigInt(intent.crypto_amount ?? 0);
  await testnet.controls.pay({ to: addressOf(intent), token: 'USDC', amount });
  await testnet.controls.mine(BNB_FINALITY);
  return intent;
}

async function expectUntouched(intent: PaymentIntentObject): Promise<void> {
  const now = await progressOf(world, 'bnb');
  expect({ ...now, lagMs: 0, epoch: 0 }).toEqual({ ...before, lagMs: 0, epoch: 0 });
  expect((await getIntent(world.api, intent.id)).status).toBe('requires_action');
}

async function expectCreditedOnceHonest(intent: PaymentIntentObject): Promise<void> {
  proxy.lie = null;
  await untilStatus(world.api, intent.id, 'completed');
  expect(await eventsOf(world.database, intent.id)).toEqual(['processing', 'payment_received', 'completed']);
}

describe('a node that is not to be believed', () => {
  it('is waited for when it falls 20 blocks behind, below what was final already [F-67] [F-71]', async () => {
    proxy.lie = behind(20);
    await asks(1);
    const intent = await paid();
    await asks(1);
    await expectUntouched(intent);
    await expectCreditedOnceHonest(intent);
  });

  it('hides no payment when its logs come from a backend that does not have the block and answers an empty list [F-67]', async () => {
    const lagging = behind(BNB_FINALITY + 5);
    proxy.lie = async (question, ask) => {
      const isOfBlock = ['eth_getLogs', 'eth_getBlockTransactionCountByHash'].includes(question.method);
      return isOfBlock ? lagging(question, ask) : (await ask(question))['result'];
    };
    const intent = await paid();
    const asked = proxy.count('eth_getLogs');
    await eventually(
      () => proxy.count('eth_getLogs'),
      (seen) => seen > asked + 1,
    );
    await expectUntouched(intent);
    await expectCreditedOnceHonest(intent);
  });

  it('decides nothing while it has no receipt of a mined payment [F-69]', async () => {
    proxy.lie = async (question, ask) =>
      question.method === 'eth_getTransactionReceipt' ? null : (await ask(question))['result'];
    const intent = await paid();
    await eventually(
      () => proxy.count('eth_getTransactionReceipt'),
      (seen) => seen > 1,
    );
    await expectUntouched(intent);
    await expectCreditedOnceHonest(intent);
  });

  it('is read as far as it can prove when its head jumps by 1,000 blocks, without being stormed [F-71]', async () => {
    const jumping: Lie = async (question, ask) => {
      const { result } = await ask(question);
      if (question.method !== 'eth_getBlockByNumber' || question.params[0] !== 'latest') return result;
      const header = HEADER.parse(result);
      return { ...header, number: `0x${(Number(header.number) + 1000).toString(16)}` };
    };
    proxy.lie = jumping;
    const intent = await paid();
    await untilRead(world, testnet);
    const logsAsked = proxy.count('eth_getLogs');
    const from = performance.now();
    // One step: the head, and the 50 blocks that are said to follow.
    await asks(2 * 51);
    expect(performance.now() - from).toBeGreaterThan(400);
    expect(proxy.count('eth_getLogs')).toBe(logsAsked);
    await expectCreditedOnceHonest(intent);
  });

  it('is refused while it serves another chain, and taken up again afterwards [F-70]', async () => {
    // Higher than ours, so that every recorded block is contradicted, the final ones too.
    await world.chain('polygon').mine((before?.height ?? 0) + 50);
    proxy.upstream = world.chain('polygon').chain.rpcUrl;
    const identityChecks = proxy.count('eth_chainId');
    const intent = await paid();
    await eventually(
      () => proxy.count('eth_chainId'),
      (seen) => seen > identityChecks,
    );
    await asks(1);
    await expectUntouched(intent);
    proxy.upstream = testnet.url;
    await expectCreditedOnceHonest(intent);
  });

  it('is not even registered when it serves another chain from the start [F-70]', async () => {
    const foreign = await ProxyNode.start(world.chain('polygon').chain.rpcUrl);
    const misled = await startListener(world, foreign.url);
    await eventually(
      () => foreign.count('eth_chainId'),
      (seen) => seen >= 2,
    );
    expect(foreign.count('eth_getLogs')).toBe(0);
    const chains = await query(world.database, `select from chain where network = 'bnb'`);
    expect(chains).toHaveLength(1);
    await misled.stop();
    await foreign.stop();
  });
});
