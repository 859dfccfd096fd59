import type { RpcCall } from './json-rpc.js';
import { RpcGatherer } from './rpc-gatherer.js';

const ask = (method: string): RpcCall => ({ method, params: [] });

function recording(answer: (calls: readonly RpcCall[]) => readonly unknown[]) {
  const batches: string[][] = [];
  const gatherer = new RpcGatherer({
    batch: async (calls) => {
      batches.push(calls.map(({ method }) => method));
      return answer(calls);
    },
  });
  return { batches, gatherer };
}

it('combines concurrent calls in one batch, and returns each caller its own answers', async () => {
  const { batches, gatherer } = recording((calls) => calls.map(({ method }) => `${method}!`));
  const answers = await Promise.all([
    gatherer.batch([ask('a'), ask('b')]),
    gatherer.batch([]),
    gatherer.batch([ask('c')]),
  ]);
  expect(answers).toEqual([['a!', 'b!'], [], ['c!']]);
  expect(await gatherer.batch([ask('d')])).toEqual(['d!']);
  expect(batches).toEqual([['a', 'b', 'c'], ['d']]);
});

it('sends a batch for every hundred concurrent calls, so that no caller waits for the answers of others', async () => {
  const { promise: later, resolve: answerLater } = Promise.withResolvers<readonly unknown[]>();
  const sizes: number[] = [];
  const gatherer = new RpcGatherer({
    batch: (calls) => {
      sizes.push(calls.length);
      return sizes.length === 2 ? later : Promise.resolve(calls.map(({ method }) => method));
    },
  });
  const asked = Array.from({ length: 36 }, (_, index) => gatherer.batch(Array(7).fill(ask(`${index}`))));
  expect((await Promise.all(asked.slice(0, 14))).map(([first]) => first)).toEqual(
    asked.slice(0, 14).map((_, i) => `${i}`),
  );
  expect((await Promise.all(asked.slice(28))).map(([first]) => first)).toEqual(
    asked.slice(28).map((_, i) => `${28 + i}`),
  );
  expect(sizes).toEqual([98, 98, 56]);
  answerLater(Array(98).fill('late'));
  expect((await Promise.all(asked.slice(14, 28))).flat()).toEqual(Array(98).fill('late'));
});

it('fails all calls of a batch, and none that are made later', async () => {
  let isDown = true;
  const { gatherer } = recording((calls) => {
    if (isDown) throw new Error('The node is away.');
    return calls.map(() => 1);
  });
  const failed = await Promise.allSettled([gatherer.batch([ask('a')]), gatherer.batch([ask('b')])]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isDown = false;
  expect(await gatherer.batch([ask('c')])).toEqual([1]);
});
