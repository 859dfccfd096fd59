import { once } from 'node:events';
import { FakeNode } from '../../../test/support/fake-node.js';
import { HEAD, hashOf, headerOf, logsOf, STILL_CHAIN } from '../../../test/support/fault-chain.js';
import { postedTo, RpcProbe } from '../../../test/support/fault-probe.js';
import type { Fault } from './fault.js';
import { FaultProxy, type Injection } from './fault-proxy.js';
import { faultNamed } from './faults.js';

const QUESTION = { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] };

let node: FakeNode;
let proxies: FaultProxy[];
let injections: Injection[];
beforeEach(async () => {
  node = await FakeNode.start(STILL_CHAIN);
  proxies = [];
  injections = [];
});
afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await node.stop();
});

async function startProxy(seed = 1, headers?: Readonly<Record<string, string>>): Promise<FaultProxy> {
  const target = { url: node.url, ...(headers && { headers }) };
  const proxy = await FaultProxy.start({ target, seed, onInjection: (injection) => injections.push(injection) });
  proxies.push(proxy);
  return proxy;
}

const faults = (...names: readonly string[]): Fault[] =>
  names.map((name) => faultNamed(name)).filter((fault) => fault !== null);

describe('FaultProxy', () => {
  it('passes on every byte and the credentials of its target while nothing is armed', async () => {
    node.speak = () => ({ status: 418, headers: { 'retry-after': '9' }, body: '  {"odd" : [1.50]}  ' });
    const proxy = await startProxy(1, { authorization: 'Basic c2VjcmV0' });
    const answer = await postedTo(proxy.url, QUESTION);
    expect(answer).toMatchObject({ status: 418, retryAfter: '9', text: '  {"odd" : [1.50]}  ' });
    expect(node.requests).toMatchObject([{ headers: { authorization: 'Basic c2VjcmV0' } }]);
    expect([proxy.requests, proxy.asked.get('eth_blockNumber'), proxy.hits.size]).toEqual([1, 1, 0]);
  });

  it('passes on an invalid answer of its target, whatever faults are armed', async () => {
    const proxy = await startProxy();
    proxy.arm(faults('lag', 'null'));
    node.speak = () => ({ body: '<html>' });
    expect(await postedTo(proxy.url, QUESTION)).toMatchObject({ status: 200, text: '<html>' });
    expect(proxy.hits.size).toBe(0);
  });

  it('closes the connection when its target is down, and refuses anything but JSON-RPC', async () => {
    const proxy = await startProxy();
    expect(await postedTo(proxy.url, '{"half":')).toMatchObject({ status: 400 });
    await node.stop();
    expect(await postedTo(proxy.url, QUESTION)).toMatchObject({ failure: 'TypeError' });
    node = await FakeNode.start(STILL_CHAIN);
    await proxy.redirect({ url: node.url });
    expect(await postedTo(proxy.url, QUESTION)).toMatchObject({ body: { result: '0x14' } });
  });

  it('refuses a websocket', async () => {
    const proxy = await startProxy();
    const socket = new WebSocket(proxy.url.replace('http', 'ws'));
    await expect(Promise.race([once(socket, 'open'), once(socket, 'close')])).resolves.toMatchObject([
      { type: 'close' },
    ]);
  });

  it('combines faults, and reports each with its request', async () => {
    const proxy = await startProxy();
    proxy.arm(faults('duplicate-logs', 'removed-logs', 'wrong-id', 'permuted-batch'));
    const batch = [3, 4].map((height) => ({
      id: height,
      method: 'eth_getLogs',
      params: [{ blockHash: hashOf(height) }],
    }));
    const twice = (height: number) =>
      logsOf(height).flatMap((log) => [
        { ...log, removed: true },
        { ...log, removed: true },
      ]);
    expect(await postedTo(proxy.url, batch)).toMatchObject({
      body: [
        { id: 4, result: twice(4) },
        { id: 'another', result: twice(3) },
      ],
    });
    const methods = ['eth_getLogs', 'eth_getLogs'];
    expect(injections).toEqual(
      ['duplicate-logs', 'removed-logs', 'wrong-id', 'permuted-batch'].map((fault) => ({ fault, request: 1, methods })),
    );
  });

  it('applies and counts no fault of an answer that is never sent', async () => {
    const proxy = await startProxy();
    proxy.arm(faults('null', '429', '503'), { hitsMax: 1 });
    const answers = [];
    for (let n = 0; n < 4; n++) answers.push(await postedTo(proxy.url, QUESTION));
    expect(answers).toMatchObject([
      { status: 429 },
      { status: 503 },
      { body: { result: null } },
      { body: { result: '0x14' } },
    ]);
    expect([...proxy.hits]).toEqual([
      ['429', 1],
      ['503', 1],
      ['null', 1],
    ]);
  });

  it('heals on request, and continues to count when it is armed again', async () => {
    const proxy = await startProxy();
    const probe = new RpcProbe(proxy.url);
    proxy.arm(faults('null'));
    expect(await probe.ask('eth_blockNumber')).toBeNull();
    proxy.heal();
    expect(await probe.ask('eth_getBlockByNumber', 'latest', false)).toEqual(headerOf(HEAD));
    proxy.arm(faults('null'));
    expect(await probe.ask('eth_blockNumber')).toBeNull();
    expect(proxy.hits.get('null')).toBe(2);
  });

  it('changes its share of the requests, whatever the number of faults, and the same ones for the same seed', async () => {
    const spoiltBy = async (seed: number, ...names: readonly string[]): Promise<string> => {
      const proxy = await startProxy(seed);
      proxy.arm(faults(...names), { share: 0.3 });
      const answers = [];
      for (let n = 0; n < 200; n++) answers.push(await postedTo(proxy.url, QUESTION));
      return answers.map((posted) => ('status' in posted && posted.status !== 200 ? posted.status : '-')).join(' ');
    };
    const one = await spoiltBy(5, '429');
    const two = await spoiltBy(5, '429', '503');
    for (const log of [one, two]) expect(log.match(/\d+/g)?.length).toBeGreaterThan(40);
    for (const log of [one, two]) expect(log.match(/\d+/g)?.length).toBeLessThan(80);
    expect(two).toMatch(/429.*503|503.*429/);
    expect(await spoiltBy(5, '429', '503')).toBe(two);
    expect(await spoiltBy(6, '429', '503')).not.toBe(two);
  });
});
