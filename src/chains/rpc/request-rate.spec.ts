import { FakeNode } from '../../../test/support/fake-node.js';
import { ChainUnavailable } from '../chain.js';
import { JsonRpc } from './json-rpc.js';
import { RequestRate, RequestRates } from './request-rate.js';

const signal = new AbortController().signal;

describe('requests to a node with a limit', () => {
  it('are spaced: the first goes at once, and each waits for the time of those before it', async () => {
    const rate = new RequestRate(100);
    const startedAt = performance.now();
    const at: number[] = [];
    const turn = async (requests: number): Promise<void> => {
      await rate.turn(requests, signal);
      at.push(performance.now() - startedAt);
    };
    await Promise.all([turn(10), turn(5), turn(1)]);
    expect(at).toHaveLength(3);
    // A timer of Node may fire a millisecond early.
    expect(at[0]).toBeLessThan(at[1] ?? 0);
    expect(at[1]).toBeGreaterThanOrEqual(99);
    expect(at[2]).toBeGreaterThanOrEqual(149);
  });

  it('count together for all clients of one URL, and apart for another', () => {
    const rates = new RequestRates(10);
    expect(rates.of('http://a')).toBe(rates.of('http://a'));
    expect(rates.of('http://a')).not.toBe(rates.of('http://b'));
  });

  it('stop waiting when the client is closed', async () => {
    const node = await FakeNode.start({ one: () => 1 });
    const rpc = new JsonRpc(node.url, { rate: new RequestRate(1) });
    await rpc.call('one', []);
    const second = expect(rpc.call('one', [])).rejects.toThrow(ChainUnavailable);
    await rpc.close();
    await second;
    expect(node.requests).toHaveLength(1);
    await node.stop();
  });

  it('are in batches no larger than the limit of a second', async () => {
    const node = await FakeNode.start({ one: () => 1 });
    const rpc = new JsonRpc(node.url, { rate: new RequestRate(50) });
    const calls = Array.from({ length: 60 }, () => ({ method: 'one', params: [] }));
    expect(await rpc.batch(calls)).toHaveLength(60);
    expect(node.requests.map(({ questions }) => questions.length)).toEqual([50, 10]);
    await rpc.close();
    await node.stop();
  });
});
