import { transactionHashFormOf } from './transaction-hash.js';

const HASH = `0x${'5f'.repeat(32)}`;

describe('a transaction hash', () => {
  it.each([HASH, HASH.toUpperCase(), `0x${'5F'.repeat(32)}`])('of Ethereum is the same in any case: %s', (text) => {
    expect(transactionHashFormOf(text)).toEqual({ family: 'evm', key: HASH });
  });

  it.each(['', '0x', HASH.slice(2), `${HASH}0`, HASH.slice(0, -1), `${HASH.slice(0, -1)}g`, ` ${HASH}`, `${HASH}\n`])(
    'is nothing else: %j',
    (text) => {
      expect(transactionHashFormOf(text)).toBeNull();
    },
  );
});
