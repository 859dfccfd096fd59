import { transactionHashFormOf } from './transaction-hash.js';

const HASH = `0x${'5f'.repeat(32)}`;
const SIGNATURE = '5rgpegm86vwXotD2Z7WWW1DxpSxmWGQ9g4RMoBJvxJ2xiVF6TNCvGseZ3A1uisew9tGrdKirkkHUGjQW8uNqz9BW';

describe('a transaction hash', () => {
  it.each([HASH, HASH.toUpperCase(), `0x${'5F'.repeat(32)}`])('of Ethereum is the same in any case: %s', (text) => {
    expect(transactionHashFormOf(text)).toEqual({ family: 'evm', key: HASH });
  });

  it.each(['5f'.repeat(32), '5F'.repeat(32)])('of Tron has no prefix and is the same in any case: %s', (text) => {
    expect(transactionHashFormOf(text)).toEqual({ family: 'tron', key: '5f'.repeat(32) });
  });

  it.each([SIGNATURE, `${'1'.repeat(63)}z`])('of Solana is a signature, and is kept as it is: %s', (text) => {
    expect(transactionHashFormOf(text)).toEqual({ family: 'solana', key: text });
  });

  it.each([
    '',
    '0x',
    `${HASH}0`,
    HASH.slice(0, -1),
    HASH.slice(2, -1),
    `${HASH.slice(0, -1)}g`,
    ` ${HASH}`,
    `${HASH}\n`,
    `${SIGNATURE}1`,
    SIGNATURE.slice(0, -2),
    `${SIGNATURE.slice(0, -1)}l`,
    `1${SIGNATURE.slice(1)}`,
    'z'.repeat(88),
  ])('is nothing else: %j', (text) => {
    expect(transactionHashFormOf(text)).toBeNull();
  });
});
