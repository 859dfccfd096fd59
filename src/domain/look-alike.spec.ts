import { addressesBeginningLike, looksLike } from './look-alike.js';

const KEY = '0xab12000000000000000000000000000000009f3e';

describe('an address looks like another', () => {
  it.each([
    ['whose middle alone differs', '0xab12ffffffffffffffffffffffffffffffff9f3e', true],
    ['that differs in one digit of the middle', '0xab12000000000000000000000000000000019f3e', true],
    ['but not like itself', KEY, false],
    ['but not like one with another first digit', '0xbb12ffffffffffffffffffffffffffffffff9f3e', false],
    ['but not like one whose fourth digit differs', '0xab13ffffffffffffffffffffffffffffffff9f3e', false],
    ['but not like one whose fourth digit from the end differs', '0xab12ffffffffffffffffffffffffffffffff8f3e', false],
    ['but not like one with another last digit', '0xab12ffffffffffffffffffffffffffffffff9f3f', false],
  ])('%s [I-123]', (_what, other, expected) => {
    expect(looksLike(KEY, other)).toBe(expected);
    expect(looksLike(other, KEY)).toBe(expected);
  });
});

it('all addresses that begin like another lie between two bounds [I-123]', () => {
  expect(addressesBeginningLike(KEY)).toEqual([`0xab12${'0'.repeat(36)}`, `0xab12${'f'.repeat(36)}`]);
});
