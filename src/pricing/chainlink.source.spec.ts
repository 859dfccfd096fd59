import { AnvilNode } from '../../test/support/anvil-node.js';
import { FakeNode } from '../../test/support/fake-node.js';
import { networkProfile } from '../chains/networks.js';
import { NETWORKS } from '../domain/network.js';
import { CHAINLINK_FEEDS } from './chainlink-feeds.js';
import { ChainlinkSource, type FeedNetwork } from './chainlink.source.js';

const POLYGON_ID = 137;
const HOUR_MS = 3_600_000;

let node: AnvilNode;
let source: ChainlinkSource;
beforeEach(async () => {
  node = await AnvilNode.start({ chainId: POLYGON_ID });
});
afterEach(async () => {
  await source.close();
  await node.stop();
});

const polygon = (...rpcUrls: string[]): FeedNetwork => ({ network: 'polygon', chainId: String(POLYGON_ID), rpcUrls });
const open = (...networks: FeedNetwork[]): ChainlinkSource => (source = new ChainlinkSource(CHAINLINK_FEEDS, networks));

const feedOf = (token: string): string => {
  const feed = CHAINLINK_FEEDS.find((one) => one.token === token && one.network === 'polygon');
  if (feed === undefined) throw new Error(`There is no feed of ${token}.`);
  return feed.contract;
};

/** Code that answers every call with five words: round, answer, started, updated, answered in. */
function aggregator(answer: bigint, updatedAt: bigint): string {
  const words = [7n, BigInt.asUintN(256, answer), updatedAt, updatedAt, 7n];
  const stores = words.map((word, index) => {
    const value = word.toString(16).padStart(64, '0');
    return `7f${value}60${(index * 32).toString(16).padStart(2, '0')}52`;
  });
  return `0x${stores.join('')}60a06000f3`;
}

const deploy = (token: string, answer: bigint, updatedAt: bigint): Promise<void> =>
  node.send('anvil_setCode', feedOf(token), aggregator(answer, updatedAt));

it('reads latestRoundData over our own node: eight decimals, and when it was written', async () => {
  await deploy('POL', 50_012_345n, 1_769_860_800n);
  await deploy('USDC', 100_000_000n, 1_769_857_200n);
  expect(Object.fromEntries(await open(polygon(node.url)).ask(['POL', 'USDC']))).toEqual({
    POL: { value: '0.50012345', observedAtMs: 1_769_860_800_000 },
    USDC: { value: '1', observedAtMs: 1_769_857_200_000 },
  });
});

it.each<[what: string, answer: bigint, updatedAt: bigint, value: unknown]>([
  ['zero', 0n, 1_769_860_800n, { value: '0', observedAtMs: 1_769_860_800_000 }],
  ['a negative answer', -1n, 1_769_860_800n, { value: '-0.00000001', observedAtMs: 1_769_860_800_000 }],
  ['a moment beyond all time', 1n, 2n ** 255n, { silence: 'not_a_price' }],
])('[E-58] passes on %s as it is, for the rules to refuse', async (_what, answer, updatedAt, expected) => {
  await deploy('ETH', answer, updatedAt);
  expect((await open(polygon(node.url)).ask(['ETH'])).get('ETH')).toEqual(expected);
});

it('[E-58] has no price where there is no contract', async () => {
  expect((await open(polygon(node.url)).ask(['USDT'])).get('USDT')).toEqual({ silence: 'not_a_price' });
});

it('[E-58] asks the next node when one is down or serves another chain, and fails when none is left', async () => {
  await deploy('ETH', 300_000_000_000n, 1_769_860_800n);
  const foreign = await FakeNode.start({ eth_chainId: () => '0x1', eth_call: () => `0x${'00'.repeat(160)}` });
  const answers = await open(polygon('http://127.0.0.1:1', foreign.url, node.url)).ask(['ETH']);
  expect(answers.get('ETH')).toEqual({ value: '3000', observedAtMs: 1_769_860_800_000 });
  await source.close();
  await expect(open(polygon(foreign.url)).ask(['ETH'])).rejects.toMatchObject({ reason: 'no_answer' });
  await foreign.stop();
});

it('lists what has a feed on a network of ours, each on the first that we have a node of', async () => {
  const [bnb, both] = [{ network: 'bnb', chainId: '56', rpcUrls: [] }, polygon(node.url)] as const;
  expect(open(bnb, both).lists('DOGE')).toBe(false);
  const listed = ['ETH', 'POL', 'BNB', 'SOL', 'TRX', 'USDC', 'USDT'];
  expect(listed.filter((token) => source.lists(token))).toEqual(listed);
  // BNB's feed on bnb is written hourly, the one on ethereum daily; a moment is allowed on top.
  expect(source.maxAgeMs('BNB')).toBe(HOUR_MS + 300_000);
  expect(source.maxAgeMs('USDC')).toBe(24 * HOUR_MS + 300_000);
  expect(open().lists('ETH')).toBe(false);
});

it('has a feed for every token on offer in live', () => {
  for (const network of NETWORKS) {
    for (const { symbol } of networkProfile('live', network)?.tokens ?? []) {
      expect(CHAINLINK_FEEDS.map(({ token }) => token)).toContain(symbol);
    }
  }
});
