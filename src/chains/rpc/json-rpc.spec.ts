import { inspect } from 'node:util';
import { FakeNode, honestly } from '../../../test/support/fake-node.js';
import { ChainUnavailable, NodeBusy } from '../chain.js';
import { JsonRpc, RpcRefusal } from './json-rpc.js';

const API_KEY = '0123456789abcdef';
const DOUBLE = { double: (value: unknown) => Number(value) * 2 };

function doubles(count: number) {
  return Array.from({ length: count }, (_, value) => ({ method: 'double', params: [value] }));
}

async function failureOf(action: Promise<unknown>): Promise<unknown> {
  try {
    await action;
    return 'It did not fail.';
  } catch (error) {
    return error;
  }
}

describe('JsonRpc', () => {
  let node: FakeNode;
  let rpc: JsonRpc;

  beforeEach(async () => {
    node = await FakeNode.start(DOUBLE);
    rpc = new JsonRpc(`http://user:password@${node.host}/v3/${API_KEY}`);
  });

  afterEach(async () => {
    await rpc.close();
    await node.stop();
  });

  it('sends the credentials of the URL as a header and returns the result', async () => {
    await expect(rpc.call('double', [21])).resolves.toBe(42);
    const expected = `Basic ${Buffer.from('user:password').toString('base64')}`;
    expect(node.requests[0]?.headers.authorization).toBe(expected);
  });

  it('sends a batch in one request of a hundred calls at most', async () => {
    const results = await rpc.batch(doubles(220));
    expect(results).toEqual(Array.from({ length: 220 }, (_, value) => value * 2));
    expect(node.requests.map(({ questions }) => questions.length)).toEqual([100, 100, 20]);
  });

  it('sends nothing for an empty batch', async () => {
    await expect(rpc.batch([])).resolves.toEqual([]);
    expect(node.requests).toHaveLength(0);
  });

  it('[F-73] puts the permuted answers of a batch into the order of the calls', async () => {
    node.speak = (answers, isBatch) => honestly(answers.toReversed(), isBatch);
    await expect(rpc.batch(doubles(5))).resolves.toEqual([0, 2, 4, 6, 8]);
  });

  it.each([
    ['429', { status: 429, body: '{}' }, 'HTTP 429'],
    ['503', { status: 503, body: 'busy' }, 'HTTP 503'],
    ['a redirect', { status: 302, body: '', headers: { location: 'http://elsewhere.example' } }, 'HTTP 302'],
    ['an HTML page', { body: `<html>key ${API_KEY}</html>` }, 'not JSON'],
    ['half a JSON', { body: '{"jsonrpc":"2.0","id":1,"res' }, 'not JSON'],
    ['half a body', 'hang up halfway' as const, 'did not answer'],
    ['an empty body', { body: '' }, 'not JSON'],
    ['a number', { body: '7' }, 'not an object'],
    ['a wrong id', { body: '{"jsonrpc":"2.0","id":999,"result":42}' }, 'another call'],
    ['no result', { body: '{"jsonrpc":"2.0","id":1}' }, 'without a result'],
    ['a hang-up', 'hang up' as const, 'did not answer'],
  ])('[F-73] is unavailable after %s', async (_name, answer, reason) => {
    node.speak = () => answer;
    const failure = await failureOf(rpc.call('double', [21]));
    expect(failure).toBeInstanceOf(ChainUnavailable);
    expect(String(failure)).toContain(reason);
    expect(String(failure)).toContain(`http://${node.host} `);
    expect(inspect(failure)).not.toMatch(new RegExp(`${API_KEY}|password`));
  });

  it('[F-73] is unavailable when a 200 carries an error, and repeats the reason without the key', async () => {
    node.methods = {
      fail: () => {
        throw new Error(`limit of key ${API_KEY} reached`);
      },
    };
    const failure = await failureOf(rpc.call('fail', []));
    expect(failure).toBeInstanceOf(RpcRefusal);
    expect(failure).toMatchObject({
      code: -32_000,
      message: `http://${node.host} refused fail: limit of key *** reached`,
    });
  });

  it('[F-73] is unavailable when the node does not answer in time', async () => {
    const hasty = new JsonRpc(node.url, { timeoutMs: 50 });
    node.speak = () => 'say nothing';
    await expect(hasty.call('double', [21])).rejects.toThrow('did not answer double within 50 ms');
    await hasty.close();
  });

  it.each([
    ['a lost connection', 'hang up' as const],
    ['HTTP 429', { status: 429, body: '' }],
    ['HTTP 502', { status: 502, body: '<html>' }],
    ['HTTP 503 until a moment later', { status: 503, body: '', headers: { 'retry-after': '0' } }],
    ['HTTP 504', { status: 504, body: '' }],
  ])('[F-73] asks again after %s, three times at most', async (_name, trouble) => {
    let troubles = 2;
    node.speak = (answers, isBatch) => (troubles-- > 0 ? trouble : honestly(answers, isBatch));
    await expect(rpc.call('double', [21])).resolves.toBe(42);
    expect(node.requests).toHaveLength(3);
    troubles = 3;
    await expect(rpc.call('double', [21])).rejects.toBeInstanceOf(ChainUnavailable);
    expect(node.requests).toHaveLength(6);
  });

  it.each([
    ['an HTML page', { body: '<html>' }],
    ['HTTP 401', { status: 401, body: '' }],
    ['an error', { body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"header not found"}}' }],
  ])('[F-73] asks only once after %s, which does not pass by itself', async (_name, answer) => {
    node.speak = () => answer;
    await expect(rpc.call('double', [21])).rejects.toBeInstanceOf(ChainUnavailable);
    expect(node.requests).toHaveLength(1);
  });

  it.each([
    ['seconds', () => '30'],
    ['a date', () => new Date(Date.now() + 30_900).toUTCString()],
  ])(
    '[F-73] does not wait for a node that asks for a long pause in %s, but says how long it is',
    async (_name, after) => {
      node.speak = () => ({ status: 503, body: '', headers: { 'retry-after': after() } });
      const failure = await failureOf(rpc.call('double', [21]));
      expect(failure).toBeInstanceOf(NodeBusy);
      expect((failure as NodeBusy).retryAfterMs).toBeGreaterThan(28_000);
      expect((failure as NodeBusy).retryAfterMs).toBeLessThanOrEqual(31_000);
      expect(node.requests).toHaveLength(1);
    },
  );

  it.each([
    ['of one call', { body: '{"jsonrpc":"2.0","id":1,"error":{"code":429,"message":"slow down"}}' }],
    ['of a batch', { body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"rate limit"}}' }],
    ['in a batch', { body: '[{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Too Many Requests"}}]' }],
  ])('[F-73] takes a 200 that speaks of a rate limit %s as a plea for a pause', async (which, answer) => {
    node.speak = () => answer;
    const asking = which === 'of one call' ? rpc.call('double', [21]) : rpc.batch(doubles(4));
    expect(await failureOf(asking)).toBeInstanceOf(NodeBusy);
    expect(node.requests).toHaveLength(1);
  });

  it.each<[string, (answers: readonly { id?: unknown }[]) => unknown]>([
    ['a missing answer', (answers) => answers.slice(1)],
    ['an answer twice', (answers) => [answers[0], answers[0], answers[2]]],
    ['an answer to no question', (answers) => [...answers, { id: 999, result: 1 }]],
    ['an id of another type', (answers) => answers.map(({ id, ...rest }) => ({ ...rest, id: String(id) }))],
    ['one error among the answers', (answers) => [...answers.slice(1), { id: answers[0]?.id, error: { code: 1 } }]],
    ['a list of nonsense', () => [null, 1, 'two']],
    ['one result for all', () => ({ id: 1, result: 1 })],
  ])('[F-73] fails the whole batch after %s', async (_name, spoil) => {
    node.speak = (answers) => ({ body: JSON.stringify(spoil(answers)) });
    await expect(rpc.batch(doubles(3))).rejects.toBeInstanceOf(ChainUnavailable);
  });

  it.each([
    ['an error', { body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"batch too large"}}' }],
    ['HTTP 413', { status: 413, body: '' }],
    ['HTTP 403', { status: 403, body: '' }],
    ['HTTP 400', { status: 400, body: '' }],
    [
      'a list of one error, as geth does',
      { body: '[{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"batch too large"}}]' },
    ],
  ])(
    '[F-77] halves a batch that is refused with %s until it is small enough, and remembers the size',
    async (_, no) => {
      node.speak = (answers, isBatch) => (answers.length > 10 ? no : honestly(answers, isBatch));
      await expect(rpc.batch(doubles(20))).resolves.toHaveLength(20);
      await expect(rpc.batch(doubles(14))).resolves.toHaveLength(14);
      expect(node.requests.map(({ questions }) => questions.length)).toEqual([20, 10, 10, 10, 4]);
    },
  );

  it('[F-77] sends single calls to a node that answers no batch', async () => {
    node.speak = (answers, isBatch) => (isBatch ? { status: 403, body: '' } : honestly(answers, isBatch));
    await expect(rpc.batch(doubles(3))).resolves.toEqual([0, 2, 4]);
    await expect(rpc.batch(doubles(2))).resolves.toEqual([0, 2]);
    expect(node.requests.map(({ questions }) => questions.length)).toEqual([3, 2, 1, 1, 1, 1, 1]);
  });

  it('[F-77] halves a batch whose answers do not fit into one answer', async () => {
    const tooLarge = { code: -32_003, message: 'response too large' };
    node.speak = (answers, isBatch) =>
      honestly(
        answers.map((answer, index) => (index < 10 ? answer : { id: answer.id, error: tooLarge })),
        isBatch,
      );
    await expect(rpc.batch(doubles(20))).resolves.toEqual(Array.from({ length: 20 }, (_, value) => value * 2));
    expect(node.requests.map(({ questions }) => questions.length)).toEqual([20, 10, 10]);
  });

  it.each([-32_000, -32_003])(
    '[F-77] does not treat an execution that runs out of gas (%s) as a limit',
    async (code) => {
      const outOfGas = { code, message: 'out of gas: gas required exceeds: 30000' };
      node.speak = (answers, isBatch) =>
        honestly(
          answers.map(({ id }) => ({ id, error: outOfGas })),
          isBatch,
        );
      const outcomes = await rpc.outcomes(doubles(40));
      expect(outcomes.every((outcome) => 'refusal' in outcome)).toBe(true);
      expect(node.requests.map(({ questions }) => questions.length)).toEqual([40]);
    },
  );

  it('[F-77] sends smaller batches after one that came too late, and larger ones again when these are fast', async () => {
    const hasty = new JsonRpc(node.url, { timeoutMs: 1_000 });
    node.speak = (answers, isBatch) => (answers.length > 20 ? 'say nothing' : honestly(answers, isBatch));
    await expect(hasty.batch(doubles(40))).rejects.toThrow('did not answer a batch within 1000 ms');
    node.requests.length = 0;
    await hasty.batch(doubles(40));
    node.speak = honestly;
    await hasty.batch(doubles(250));
    expect(node.requests.map(({ questions }) => questions.length)).toEqual([20, 20, 40, 80, 100, 30]);
    await hasty.close();
  });

  it('[F-77] fails when even a single call is refused', async () => {
    node.speak = () => ({ body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"too large"}}' });
    await expect(rpc.batch(doubles(4))).rejects.toThrow('too large');
    expect(node.requests.map(({ questions }) => questions.length)).toEqual([4, 2, 1]);
    node.speak = honestly;
    await rpc.batch(doubles(4));
    expect(node.requests.at(-1)?.questions).toHaveLength(4);
  });
});
