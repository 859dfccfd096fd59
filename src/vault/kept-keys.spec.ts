import { KeptKeys } from './kept-keys.js';

const ZEROS = new Uint8Array(32);

/** Keys that are all of their index, with every array that was made for them. */
function keysOf(max?: number) {
  const derived: { index: number; key: Uint8Array }[] = [];
  const keys = new KeptKeys((indexes) => {
    const made = indexes.map((index) => ({ index, key: new Uint8Array(32).fill(index) }));
    derived.push(...made);
    return made.map(({ key }) => key);
  }, max);
  return { keys, derived, indexes: () => derived.map(({ index }) => index) };
}

describe('kept keys', () => {
  it('are derived once for any number of signatures', () => {
    const { keys, indexes } = keysOf();
    expect([keys.at(7), keys.at(7)]).toEqual([new Uint8Array(32).fill(7), new Uint8Array(32).fill(7)]);
    keys.load([7, 8, 9, 8]);
    expect([keys.at(8), keys.at(9)]).toEqual([new Uint8Array(32).fill(8), new Uint8Array(32).fill(9)]);
    expect(indexes()).toEqual([7, 8, 9]);
  });

  it('are replaced by others, the least recently used first, and zeroed then', () => {
    const { keys, derived, indexes } = keysOf(2);
    keys.load([1, 2]);
    keys.at(1);
    keys.at(3);
    expect(derived.map(({ key }) => key)).toEqual([new Uint8Array(32).fill(1), ZEROS, new Uint8Array(32).fill(3)]);
    keys.at(1);
    expect(indexes()).toEqual([1, 2, 3]);
    expect(keys.at(2)).toEqual(new Uint8Array(32).fill(2));
  });

  it('are zeroed when they are wiped, and derived again on request', () => {
    const { keys, derived } = keysOf();
    keys.load([1, 2, 3]);
    keys.wipe();
    expect(derived.map(({ key }) => key)).toEqual([ZEROS, ZEROS, ZEROS]);
    expect(keys.at(2)).toEqual(new Uint8Array(32).fill(2));
  });
});
