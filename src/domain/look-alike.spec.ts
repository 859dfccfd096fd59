import { addressesBeginningLike, looksLike } from './look-alike.js';

const EVM = '0xab12000000000000000000000000000000009f3e';
const SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

describe('an address looks like another', () => {
  it.each([
    ['whose middle alone differs', '0xab12ffffffffffffffffffffffffffffffff9f3e', true],
    ['that differs in one digit of the middle', '0xab12000000000000000000000000000000019f3e', true],
    ['but not like itself', EVM, false],
    ['but not like one with another first digit', '0xbb12ffffffffffffffffffffffffffffffff9f3e', false],
    ['but not like one whose fourth digit differs', '0xab13ffffffffffffffffffffffffffffffff9f3e', false],
    ['but not like one whose fourth digit from the end differs', '0xab12ffffffffffffffffffffffffffffffff8f3e', false],
    ['but not like one with another last digit', '0xab12ffffffffffffffffffffffffffffffff9f3f', false],
  ])('%s [I-123]', (_what, other, expected) => {
    expect(looksLike('evm', EVM, other)).toBe(expected);
    expect(looksLike('evm', other, EVM)).toBe(expected);
  });

  it.each([
    ['solana', 'on solana, at any length', SOLANA, 'EPjFzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzDt1v', true],
    ['solana', 'on solana, at any length', SOLANA, 'EPjF11111111111111111111111111111111111Dt1v', true],
    ['solana', 'but not with letters of another case', SOLANA, 'epjF11111111111111111111111111111111111Dt1v', false],
    ['tron', 'on tron, where every address begins with T', TRON, 'TR7NH11111111111111111111111111j6t', false],
    ['tron', 'on tron, where every address begins with T', TRON, 'TR7NH1111111111111111111111111Lj6t', true],
    ['tron', 'but not by the T and three digits', TRON, 'TR7NX1111111111111111111111111Lj6t', false],
  ] as const)('%s: %s [I-123]', (family, _what, key, other, expected) => {
    expect(looksLike(family, key, other)).toBe(expected);
    expect(looksLike(family, other, key)).toBe(expected);
  });
});

it.each([
  ['evm', EVM, `0xab12${'0'.repeat(36)}`, `0xab12${'f'.repeat(36)}`],
  ['solana', SOLANA, 'EPjF', `EPjF${'z'.repeat(40)}`],
  ['tron', TRON, `TR7NH${'1'.repeat(29)}`, `TR7NH${'z'.repeat(29)}`],
] as const)('all %s addresses that begin like another lie between two bounds [I-123]', (family, key, first, last) => {
  expect(addressesBeginningLike(family, key)).toEqual([first, last]);
  expect([last, key, first].toSorted()).toEqual([first, key, last]);
});
