import type { SeededChain } from '../../../test/support/factories.js';
import { FakeNode } from '../../../test/support/fake-node.js';
import { PayoutScene } from '../../../test/support/payout-scene.js';
import { hexOf } from '../../../test/support/probe-contracts.js';
import { genesisOf, runtimeServing, sourceOf } from '../../../test/support/served-chains.js';
import { createLogger } from '../../platform/logging.js';
import { Metrics } from '../../platform/metrics.js';
import { HotBalances } from './hot-balances.service.js';
import { TreasuryChains } from '../treasury-chains.service.js';
import { UnrecordedTransactions } from '../../recovery/unrecorded-transactions.service.js';

const silent = createLogger('silent');
const LATE_SECONDS = 6 * 60;
const ZERO_WORD = `0x${'00'.repeat(32)}`;

/** The answers of one node: a transaction count, and the age of its newest block. */
interface Said {
  counted: number;
  secondsAgo: number;
}

let scene: PayoutScene;
let chain: SeededChain;
let said: readonly [Said, Said];
let nodes: readonly FakeNode[];
let chains: TreasuryChains;

beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  chain = await scene.addChain('polygon');
  said = [
    { counted: 0, secondsAgo: 0 },
    { counted: 0, secondsAgo: 0 },
  ];
  nodes = await Promise.all(said.map(aNode));
  serve({ isQuiet: false });
});
afterEach(async () => {
  await chains.beforeApplicationShutdown();
  await Promise.all(nodes.map((node) => node.stop()));
});

async function aNode(words: Said): Promise<FakeNode> {
  const genesis = await genesisOf(scene.database, chain.chainRef);
  const block = (height: unknown) => ({
    number: height === 'latest' ? '0x64' : height,
    hash: `0x${'01'.repeat(32)}`,
    parentHash: `0x${'02'.repeat(32)}`,
    timestamp: hexOf(BigInt(Math.floor(Date.now() / 1_000) - words.secondsAgo)),
  });
  return FakeNode.start({
    eth_chainId: () => '0x7a69',
    eth_getBlockByNumber: (height) => (height === '0x0' ? { hash: genesis } : block(height)),
    eth_getBalance: () => '0x0',
    eth_call: () => ZERO_WORD,
    eth_getTransactionCount: () => hexOf(BigInt(words.counted)),
    eth_getTransactionReceipt: () => null,
  });
}

/** @param isQuiet Whether the chain makes blocks only when there is something to put in. */
function serve({ isQuiet }: { readonly isQuiet: boolean }): void {
  const { profile } = sourceOf('polygon', '');
  const source = {
    profile: { ...profile, quietGraceMs: isQuiet ? 0 : null },
    rpcUrls: nodes.map(({ url }) => url),
  };
  chains = new TreasuryChains(scene.database, runtimeServing([source]), silent);
}

/** Returns the count in the wallet's row after the worker's check, from this count before. */
async function countedAfter(before: number | null): Promise<number | null> {
  await scene.query(`update hot_wallet set chain_nonce = $2 where chain_ref = $1`, [chain.chainRef, before]);
  await scene.query(`update chain_cursor set finalized_height = finalized_height + 1 where chain_ref = $1`, [
    chain.chainRef,
  ]);
  await new HotBalances(scene.database, new Metrics(), chains, silent).refresh();
  const [row] = await scene.query<{ chain_nonce: string | null }>(
    `select chain_nonce from hot_wallet where chain_ref = $1`,
    [chain.chainRef],
  );
  return row === undefined || row.chain_nonce === null ? null : Number(row.chain_nonce);
}

async function unknown(): Promise<readonly number[]> {
  const served = await chains.find(chain.chainRef);
  if (served === null) throw new Error('The chain is not served.');
  const view = await new UnrecordedTransactions(scene.database).of(served);
  return view?.nonces.map(({ nonce }) => nonce) ?? [];
}

describe('while the stored count is not trusted', () => {
  it('the highest count of any node is used, since the first node may lag [H-106]', async () => {
    said[0].secondsAgo = LATE_SECONDS;
    said[1].counted = 2;
    await expect(countedAfter(null)).resolves.toBe(2);
    await expect(unknown()).resolves.toEqual([0, 1]);
    Object.assign(said[0], { counted: 3 });
    await expect(countedAfter(null)).resolves.toBe(3);
    await expect(unknown()).resolves.toEqual([0, 1, 2]);
  });

  it('no count is used while every node that answers is minutes behind [H-106]', async () => {
    said[0].secondsAgo = LATE_SECONDS;
    said[1].secondsAgo = LATE_SECONDS;
    await expect(countedAfter(null)).resolves.toBeNull();
    await expect(unknown()).rejects.toThrow('No node of polygon shows a block of the last 5 minutes');
    said[0].secondsAgo = 0;
    await expect(countedAfter(null)).resolves.toBe(0);
    await expect(unknown()).resolves.toEqual([]);
  });

  it('a development chain, which makes blocks on demand only, is trusted', async () => {
    await chains.beforeApplicationShutdown();
    serve({ isQuiet: true });
    said[0].secondsAgo = LATE_SECONDS;
    said[1].secondsAgo = LATE_SECONDS;
    await expect(countedAfter(null)).resolves.toBe(0);
  });
});

it('a trusted count only grows, by the answer of one node [I-113]', async () => {
  said[0].secondsAgo = LATE_SECONDS;
  await expect(countedAfter(1)).resolves.toBe(1);
  said[0].counted = 2;
  await expect(countedAfter(1)).resolves.toBe(2);
});

it('nodes that pruned the state of the final block are still counted, also while they return no balance [H-106]', async () => {
  for (const [place, node] of nodes.entries()) {
    const { eth_getBalance: _forgotten, ...methods } = node.methods;
    node.methods = methods;
    Object.assign(said[place] ?? {}, { counted: 9 });
  }
  await expect(countedAfter(0)).resolves.toBe(9);
  const held = await scene.query(`select from hot_balance where chain_ref = $1 and height > 1`, [chain.chainRef]);
  expect(held).toEqual([]);
});
