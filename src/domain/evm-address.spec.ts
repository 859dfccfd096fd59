import { getAddress } from 'ethers';
import * as fc from 'fast-check';
import { checksumEvmAddress, parseEvmAddress } from './evm-address.js';

const lowerAddress = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .filter((bytes) => bytes.some((byte) => byte !== 0))
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);

const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';

describe('parseEvmAddress', () => {
  it.each([
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
    USDC,
  ])('[A-17] parses %s, an example of EIP-55 or a listed token', (text) => {
    expect(parseEvmAddress(text)).toEqual({ checksummed: text, lower: text.toLowerCase() });
  });

  it('[A-17] reads both single-case spellings of any address as ethers checksums it', () => {
    fc.assert(
      fc.property(lowerAddress, (lower) => {
        const expected = { checksummed: getAddress(lower), lower };
        expect(parseEvmAddress(lower)).toEqual(expected);
        expect(parseEvmAddress(`0x${lower.slice(2).toUpperCase()}`)).toEqual(expected);
        expect(parseEvmAddress(expected.checksummed)).toEqual(expected);
        expect(checksumEvmAddress(lower)).toBe(expected.checksummed);
      }),
    );
  });

  it('[A-17] refuses a checksummed address with one letter in the other case', () => {
    fc.assert(
      fc.property(lowerAddress, fc.nat(), (lower, at) => {
        const right = getAddress(lower);
        const letters = Array.from(right.matchAll(/[a-fA-F]/g), (match) => match.index);
        const index = letters[at % Math.max(letters.length, 1)];
        fc.pre(index !== undefined);
        const letter = right.charAt(index);
        const flipped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
        const wrong = right.slice(0, index) + flipped + right.slice(index + 1);
        fc.pre(wrong.slice(2) !== lower.slice(2) && wrong.slice(2) !== lower.slice(2).toUpperCase());
        expect(parseEvmAddress(wrong)).toBeNull();
      }),
    );
  });

  it.each([
    ['the zero address', `0x${'0'.repeat(40)}`],
    ['a missing 0x', USDC.slice(2)],
    ['0X', `0X${USDC.slice(2)}`],
    ['ICAP', 'XE65GB6LDNXYOFTX0NSV3FUWKOWIXAMJK36'],
    ['an ENS name', 'vitalik.eth'],
    ['a digit short', USDC.slice(0, -1)],
    ['a digit long', `${USDC}0`],
    ['a line break after', `${USDC}\n`],
    ['a space before', ` ${USDC}`],
    ['a letter that is no hex digit', `${USDC.slice(0, -1)}g`],
    ['an address of Tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ['an address of Solana', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
    ['nothing', ''],
  ])('[A-17] refuses %s', (_name, text) => {
    expect(parseEvmAddress(text)).toBeNull();
  });
});
