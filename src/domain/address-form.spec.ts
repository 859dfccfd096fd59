import { encodeBase58 } from 'ethers';
import * as fc from 'fast-check';
import { addressFormOf, type ListedFamily } from './address-form.js';
import { decodeBase58 } from './base58.js';

const EVM = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96';
const TRON = 'TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre';

describe('addressFormOf', () => {
  it.each<[what: string, text: string, family: ListedFamily, key?: string]>([
    ['an EVM address with its checksum', EVM, 'evm', EVM.toLowerCase()],
    ['an EVM address in lower case', EVM.toLowerCase(), 'evm'],
    ['an EVM address in capitals, 0X included', EVM.toUpperCase(), 'evm', EVM.toLowerCase()],
    ['an EVM address with a wrong checksum', EVM.replace('B', 'b'), 'evm', EVM.toLowerCase()],
    ['an EVM address without 0x', EVM.slice(2), 'other'],
    ['an EVM address with a digit too many', `${EVM}0`, 'other'],
    ['a Tron address', TRON, 'tron'],
    ['a Tron address with one letter mistyped', TRON.replace('q', 'r'), 'other'],
    ['a Tron address in lower case', TRON.toLowerCase(), 'other'],
    ['the hex form of a Tron address', '410E5BDAE6A6A87A2F5E7F9B46E87D8E4C4B3E2D1F', 'other'],
    ['a Solana address', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'solana'],
    ["Solana's system program: 32 zero bytes", '1'.repeat(32), 'solana'],
    ['a Solana address that begins with T', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'solana'],
    ['a Bitcoin address', '123WBUDmSJv4GctdVEz6Qq6z8nXSKrJ4KX', 'other'],
    ['a script of Bitcoin', '3E6ZCKRrsdPc35chA9Eftp1h3DLW18NFNV', 'other'],
    ['a SegWit address of Bitcoin', 'bc1qw7xqxk5dwy0fevyzkt3mpdd4ucaxlmzfdklsm3', 'other'],
    ['an address of Monero', `5${'a'.repeat(94)}`, 'other'],
    ['nothing', '', 'other'],
  ])('[I-120] recognises %s by its form', (_what, text, family, key = text) => {
    expect(addressFormOf(text)).toEqual({ family, key });
  });
});

describe('decodeBase58', () => {
  it('returns the bytes that ethers encodes, leading zeros included', () => {
    fc.assert(
      fc.property(fc.nat(3), fc.uint8Array({ minLength: 1, maxLength: 32 }), (zeros, rest) => {
        fc.pre(rest[0] !== 0);
        const text = '1'.repeat(zeros) + encodeBase58(rest);
        expect(decodeBase58(text)).toEqual(new Uint8Array([...Array<number>(zeros).fill(0), ...rest]));
      }),
    );
  });

  it.each(['0', 'O', 'I', 'l', ' ', 'é', '0x00'])('refuses %j, which has a letter outside of the alphabet', (text) => {
    expect(decodeBase58(text)).toBeNull();
  });
});
