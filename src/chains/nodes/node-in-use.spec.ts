import { blockNodes } from '../../../test/support/block-nodes.js';
import { FakeNode } from '../../../test/support/fake-node.js';
import { type ChainClient, ChainUnavailable, NodeBusy } from '../chain.js';
import type { ChainNodes } from './chain-nodes.js';
import type { NetworkProfile } from '../networks.js';
import { ChainRegistry } from '../registry.js';

const PROFILE: NetworkProfile = {
  environment: 'sandbox',
  network: 'polygon',
  addressFamily: 'evm',
  chainId: '31337',
  tokens: [],
  finality: { minDepth: 0 },
  usualFinalityDepth: 0,
  blockIntervalMs: 2_000,
  quietGraceMs: 0,
  transactionLifetimeMs: 0,
};
const BLOCK = { number: '0x64', hash: `0x${'01'.repeat(32)}`, parentHash: `0x${'02'.repeat(32)}`, timestamp: '0x1' };

describe('the node in use, asked outside of steps', () => {
  let nodes: ChainNodes;
  let fakes: readonly FakeNode[];
  let registry: ChainRegistry;

  beforeEach(async () => {
    const methods = { eth_chainId: () => '0x7a69', eth_getBlockByNumber: () => BLOCK };
    fakes = await Promise.all([FakeNode.start(methods), FakeNode.start(methods)]);
    registry = new ChainRegistry([{ profile: PROFILE, rpcUrls: fakes.map(({ url }) => url) }]);
    nodes = blockNodes(registry, 'polygon');
  });
  afterEach(async () => {
    await registry.close();
    await Promise.all(fakes.map((fake) => fake.stop()));
  });

  const labelInUse = (): Promise<string> => nodes.attempt(async ({ label }) => label);
  const heightOf = async (client: ChainClient): Promise<number> => (await client.head()).height;

  it('is undefined before the first step, and then the node that served it', async () => {
    expect(await nodes.askInUse(heightOf)).toBeNull();
    expect(fakes[0]?.requests).toEqual([]);
    await labelInUse();
    expect(await nodes.askInUse(heightOf)).toBe(100);
  });

  it('is not replaced because it does not know, unless it limits our rate', async () => {
    const first = await labelInUse();
    const unknown = (): Promise<null> => Promise.reject(new ChainUnavailable('It has no such block.'));
    expect(await nodes.askInUse(unknown)).toBeNull();
    expect(await labelInUse()).toBe(first);
    expect(await nodes.askInUse(() => Promise.reject(new NodeBusy('Slower.', 60_000)))).toBeNull();
    expect(await labelInUse()).not.toBe(first);
    expect(await nodes.askInUse(heightOf)).toBe(100);
  });

  it('does not hide an error of ours', async () => {
    await labelInUse();
    await expect(nodes.askInUse(() => Promise.reject(new TypeError('ours')))).rejects.toThrow('ours');
  });
});
