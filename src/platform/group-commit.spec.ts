import { GroupCommit } from './group-commit.js';

/** A writer that the test completes, and that records its batches. */
class Writer {
  readonly batches: number[][] = [];
  private readonly pending: PromiseWithResolvers<void>[] = [];

  readonly write = async (items: readonly number[]): Promise<string[]> => {
    this.batches.push([...items]);
    const turn = Promise.withResolvers<void>();
    this.pending.push(turn);
    await turn.promise;
    return items.map((item) => `wrote ${item}`);
  };

  async finish(error?: Error): Promise<void> {
    const turn = this.pending.shift();
    if (error === undefined) turn?.resolve();
    else turn?.reject(error);
    await new Promise(setImmediate);
  }
}

const dataFault = Object.assign(new Error('value out of range'), { code: '22003' });
const outage = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });

let writer: Writer;
let group: GroupCommit<number, string>;
beforeEach(() => {
  writer = new Writer();
  group = new GroupCommit(writer.write, { batchMax: 3, batchesAtOnce: 1 });
});

it('writes the first item at once and gathers later ones, in order and up to the limit', async () => {
  const outcomes = [1, 2, 3, 4, 5].map((item) => group.add(item));
  for (let batch = 0; batch < 3; batch++) await writer.finish();
  expect(writer.batches).toEqual([[1], [2, 3, 4], [5]]);
  expect(await Promise.all(outcomes)).toEqual(['wrote 1', 'wrote 2', 'wrote 3', 'wrote 4', 'wrote 5']);
});

it('writes more batches beside a slow one, up to the limit', async () => {
  const twofold = new GroupCommit(writer.write, { batchMax: 3, batchesAtOnce: 2 });
  const outcomes = [1, 2, 3, 4].map((item) => twofold.add(item));
  expect(writer.batches).toEqual([[1], [2]]);
  await writer.finish();
  expect(writer.batches).toEqual([[1], [2], [3, 4]]);
  await writer.finish();
  await writer.finish();
  expect(await Promise.all(outcomes)).toEqual(['wrote 1', 'wrote 2', 'wrote 3', 'wrote 4']);
});

it('writes a batch item by item when one item is invalid, so that the others succeed', async () => {
  const outcomes = Promise.allSettled([1, 2, 3].map((item) => group.add(item)));
  await writer.finish();
  await writer.finish(dataFault);
  await writer.finish(dataFault);
  await writer.finish();
  expect(writer.batches).toEqual([[1], [2, 3], [2], [3]]);
  expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('fails the whole batch at once when the database is away, and continues afterwards', async () => {
  const outcomes = Promise.allSettled([1, 2, 3].map((item) => group.add(item)));
  await writer.finish();
  await writer.finish(outage);
  expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  const later = group.add(4);
  await writer.finish();
  expect(await later).toBe('wrote 4');
});
