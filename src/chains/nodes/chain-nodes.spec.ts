import { eventually } from '../../../test/support/eventually.js';
import { FakeNode, honestly } from '../../../test/support/fake-node.js';
import { type ChainClient, ChainUnavailable } from '../chain.js';
import { ChainNodes, type NodeSession } from './chain-nodes.js';
import { EvmChainClient } from '../evm/evm-chain-client.js';
import { NodeHealth, type NodeReport } from './node-health.js';
import { otherNodesSee } from './other-nodes.js';

const PROFILE = { environment: 'live', network: 'polygon', chainId: '137', blockIntervalMs: 2_000 } as const;
const GENESIS = `0x${'00'.repeat(31)}99`;
const OTHER_GENESIS = `0x${'00'.repeat(31)}77`;

const hashOf = (height: number): string => `0x${height.toString(16).padStart(64, '0')}`;

/** A node of a chain without forks: honest unless a spec changes its traits. */
class PlainNode {
  head = 100;
  chainId = 137;
  genesis = GENESIS;
  /** Methods and tags that it answers with an error. */
  refused = new Set<string>();

  private constructor(readonly fake: FakeNode) {}

  static async start(): Promise<PlainNode> {
    const fake = await FakeNode.start();
    const node = new PlainNode(fake);
    fake.methods = {
      eth_chainId: () => `0x${node.chainId.toString(16)}`,
      eth_getBlockByNumber: (tag) => node.block(String(tag)),
    };
    return node;
  }

  /** HTTP requests so far. */
  get requests(): number {
    return this.fake.requests.length;
  }

  private block(tag: string): unknown {
    if (this.refused.has(tag)) throw new Error('the backend is away');
    const height = tag === 'latest' ? this.head : Number(tag);
    if (height > this.head) return null;
    const hash = height === 0 ? this.genesis : hashOf(height);
    return { number: `0x${height.toString(16)}`, hash, parentHash: hashOf(height - 1), timestamp: '0x1' };
  }
}

describe('ChainNodes', () => {
  let first: PlainNode;
  let second: PlainNode;
  let nodes: ChainNodes;
  let nowMs: number;
  let failovers: string[];

  /** Nodes with the longest possible pauses, by a clock that only the spec advances. */
  function over(...plain: readonly PlainNode[]): ChainNodes {
    const [preferred, ...others] = plain.map(({ fake }, place) => {
      const health = new NodeHealth(
        ['first', 'second'][place] ?? '',
        () => nowMs,
        (max) => max,
      );
      const client: ChainClient = new EvmChainClient({
        profile: { network: 'polygon', finality: { minDepth: 0 } },
        rpcUrl: fake.url,
        timeoutMs: 5_000,
        onAnswer: (durationMs) => health.answered(durationMs),
      });
      return { client, health };
    });
    if (preferred === undefined) throw new Error('No node.');
    return new ChainNodes(PROFILE, [preferred, ...others], {
      learned: () => undefined,
      failedOver: (from, to) => failovers.push(`${from} -> ${to}`),
    });
  }

  beforeEach(async () => {
    [first, second] = await Promise.all([PlainNode.start(), PlainNode.start()]);
    nowMs = 1_000_000;
    failovers = [];
    nodes = over(first, second);
  });
  afterEach(async () => {
    await nodes.close();
    await Promise.all([first.fake.stop(), second.fake.stop()]);
  });

  /** Runs a step of two reads and returns the label of its node. */
  const step = async ({ client, label, assertCaughtUp }: NodeSession): Promise<string> => {
    const head = await client.head();
    await client.headerAt(head.height - 1);
    assertCaughtUp(head.height);
    return label;
  };
  const served = (): Promise<string> => nodes.attempt(step);
  const reportOf = (label: string): NodeReport | undefined => nodes.reports().find((report) => report.label === label);
  const untilBreaker = (label: string, breaker: string) => eventually(() => reportOf(label)?.breaker === breaker);
  const untilProbed = (node: PlainNode) => eventually(() => node.requests >= 3);

  it('reads from the preferred node, and probes the others', async () => {
    expect([await served(), await served()]).toEqual(['first', 'first']);
    await untilProbed(second);
    expect(reportOf('first')).toMatchObject({ breaker: 'closed', identity: 'ours', lastError: null });
    expect(reportOf('first')?.latencyMs).toBeGreaterThanOrEqual(0);
    await eventually(() => reportOf('second')?.identity === 'ours');
  });

  it('repeats a step that fails midway on the next node, so that it is read from one node [F-67] [F-73]', async () => {
    first.refused.add('0x63');
    const read: string[] = [];
    const result = await nodes.attempt(async ({ client, label }) => {
      read.push(`${label} head`);
      const head = await client.head();
      read.push(`${label} ${head.height - 1}`);
      return client.headerAt(head.height - 1);
    });
    expect(read).toEqual(['first head', 'first 99', 'second head', 'second 99']);
    expect(result?.hash).toBe(hashOf(99));
    expect(reportOf('first')).toMatchObject({
      breaker: 'open',
      lastError: expect.stringContaining('the backend is away'),
      recent: { steps: 1, failures: 1 },
    });
  });

  it('does not use a failed node during its pause, and returns to it once a background probe succeeds', async () => {
    expect(await served()).toBe('first');
    first.refused.add('latest');
    expect(await served()).toBe('second');
    const asked = first.requests;
    nowMs += 999;
    expect(await served()).toBe('second');
    expect(first.requests).toBe(asked);
    // The pause has passed: a probe fails, and the next pause is twice as long.
    nowMs += 1;
    expect(await served()).toBe('second');
    await eventually(() => reportOf('first')?.consecutiveFailures === 2);
    first.refused.clear();
    nowMs += 2_000;
    expect(await served()).toBe('second');
    await untilBreaker('first', 'closed');
    expect(await served()).toBe('first');
    expect(failovers).toEqual(['first -> second', 'second -> first']);
  });

  it('uses the node whose pause ends first when all have failed, so that reading never stops for good', async () => {
    first.refused.add('latest');
    second.refused.add('latest');
    await expect(served()).rejects.toBeInstanceOf(ChainUnavailable);
    second.refused.clear();
    nowMs += 1;
    await eventually(async () => (await served().catch(() => null)) === 'second');
  });

  it('uses no node of another chain, not even of its own id with another genesis, and checks again later [F-70]', async () => {
    first.chainId = 1;
    expect(await served()).toBe('second');
    expect(reportOf('first')).toMatchObject({
      identity: 'foreign',
      breaker: 'open',
      lastError: expect.stringContaining('another chain (1,'),
    });
    first.chainId = 137;
    nodes.expectGenesis({ chainId: '137', genesisHash: GENESIS });
    nowMs += 1_000;
    await served();
    await untilBreaker('first', 'closed');
    expect(reportOf('first')?.identity).toBe('ours');
    expect(await served()).toBe('first');

    first.genesis = OTHER_GENESIS;
    second.genesis = OTHER_GENESIS;
    nowMs += 60_000;
    await expect(served()).rejects.toThrow('serves another chain');
    expect(nodes.reports().map(({ identity }) => identity)).toEqual(['foreign', 'foreign']);
  });

  it('does not call a node before the time that it names [F-73]', async () => {
    first.fake.speak = () => ({ status: 429, body: '', headers: { 'retry-after': '30' } });
    expect(await served()).toBe('second');
    const asked = first.requests;
    first.fake.speak = honestly;
    nowMs += 29_999;
    expect(await served()).toBe('second');
    expect(first.requests).toBe(asked);
    nowMs += 1;
    await served();
    await untilBreaker('first', 'closed');
  });

  it('leaves a node whose head is stuck far below the head of another node [F-67]', async () => {
    second.head = 116;
    await served();
    await untilProbed(second);
    await eventually(async () => (await served()) === 'second');
    expect(reportOf('first')?.lastError).toBe('first is 16 blocks behind second.');
    // Fifteen blocks are half a minute, in which a node may be late.
    first.head = 101;
    nowMs += 1_000;
    await eventually(async () => (await served()) === 'first');
  });

  it('asks a lagging node for its opinion while it answers, so that a higher head excludes no node [F-75]', async () => {
    second.head = 116;
    await eventually(async () => (await served()) === 'second');
    const othersHold = (height: number) =>
      nodes.attempt(async ({ label, askOthers, replacesLaggard }) => ({
        label,
        replacesLaggard,
        opinions: await askOthers(async (client) => (await client.headerAt(height))?.hash ?? null),
      }));
    const opinions = [{ label: 'first', answer: hashOf(100) }];
    expect(await othersHold(100)).toEqual({ label: 'second', replacesLaggard: true, opinions });
    expect(await othersHold(101)).toEqual({ label: 'second', replacesLaggard: true, opinions: [] });
    // A probe that finds it behind again does not exclude it.
    nowMs += 1_000;
    await served();
    await eventually(() => reportOf('first')?.consecutiveFailures === 2);
    expect((await othersHold(100)).opinions).toEqual(opinions);
    first.refused = new Set(['latest', '0x64']);
    await eventually(async () => !(await othersHold(100)).replacesLaggard);
    expect((await othersHold(100)).opinions).toEqual([]);
  });

  it('does not accept a head that the node cannot serve', async () => {
    second.refused.add('0x64');
    await served();
    await eventually(() => reportOf('second')?.consecutiveFailures === 1);
    expect(await served()).toBe('first');
  });

  it('asks the other nodes, and leaves out those that do not know, fail or serve another chain', async () => {
    const height = (client: ChainClient) => client.headerAt(101).then((header) => header?.height ?? null);
    second.head = 101;
    expect(await nodes.ask(height)).toEqual([{ label: 'second', answer: 101 }]);
    first.head = 101;
    second.chainId = 1;
    expect(await nodes.ask(height, { isFresh: true })).toEqual([{ label: 'first', answer: 101 }]);
    second.chainId = 137;
    expect(await nodes.attempt(({ askOthers }) => askOthers(height))).toEqual([]);
  });

  it('asks other nodes about hidden logs, and waits for them while they may answer soon [F-68]', async () => {
    const block = { height: 100, hash: hashOf(100) };
    let logs: readonly unknown[] = [];
    let count: string | null = '0x1';
    second.fake.methods = {
      ...second.fake.methods,
      eth_getBlockTransactionCountByHash: () => count,
      eth_getLogs: () => logs,
    };
    let client: ChainClient | undefined;
    await nodes.attempt((session) => Promise.resolve((client = session.client)));
    if (client === undefined) throw new Error('There was no session.');
    const asker = client;
    const seen = () => otherNodesSee(nodes, asker, block, [`0x${'a1'.repeat(20)}`]);
    expect(await seen()).toBe(false);
    logs = [{ blockHash: block.hash, transactionHash: block.hash, logIndex: '0x0' }];
    expect(await seen()).toBe(true);
    count = null;
    await expect(seen()).rejects.toThrow('No other node can confirm yet');
    second.refused.add('latest');
    await eventually(async () => {
      await seen().catch(() => undefined);
      return reportOf('second')?.breaker === 'open';
    });
    await expect(seen()).rejects.toThrow('No other node can confirm yet');
    // It has failed for a minute: reading continues without it.
    nowMs += 60_000;
    expect(await seen()).toBeNull();
  });

  it('waits for an answer no longer than `withinMs`', async () => {
    first.fake.speak = () => 'say nothing';
    const opinions = await nodes.ask((client) => client.head(), { withinMs: 1_000 });
    expect(opinions.map(({ label }) => label)).toEqual(['second']);
  });

  it('fails no node for an error that is not its own', async () => {
    await expect(nodes.attempt(() => Promise.reject(new RangeError('ours')))).rejects.toThrow('ours');
    expect(reportOf('first')?.breaker).toBe('closed');
    expect(failovers).toEqual([]);
  });

  it('asks a single node only which chain it serves, once a minute', async () => {
    const alone = over(first);
    for (let look = 0; look < 3; look++) await alone.attempt(({ client }) => client.head());
    expect(first.requests).toBe(4);
    nowMs += 60_000;
    await alone.attempt(({ client }) => client.head());
    expect(first.requests).toBe(6);
    first.refused.add('latest');
    await expect(alone.attempt(({ client }) => client.head())).rejects.toThrow('the backend is away');
    first.refused.clear();
    await expect(alone.attempt(({ client }) => client.head())).resolves.toMatchObject({ height: 100 });
    await alone.close();
  });
});
