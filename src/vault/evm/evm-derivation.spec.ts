import { mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { HDNodeWallet, Mnemonic } from 'ethers';
import * as fc from 'fast-check';
import { deriveBatch, seedOf, type Derivation } from '../derivation.js';
import { DEPOSIT_ACCOUNT, evmDerivation } from './evm-derivation.js';

/** The account every development chain (anvil, hardhat) starts with; its addresses are printed in their manuals. */
const JUNK = 'test test test test test test test test test test test junk';
const JUNK_ADDRESSES = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
];

function derivationOf(mnemonic: string): Derivation {
  return evmDerivation(seedOf(mnemonicToEntropy(mnemonic, wordlist)), DEPOSIT_ACCOUNT);
}

describe('EVM derivation', () => {
  it('returns the published addresses of the development mnemonic [L-158]', () => {
    const batch = deriveBatch(derivationOf(JUNK), 0, JUNK_ADDRESSES.length);
    expect(batch.map(({ address }) => address)).toEqual(JUNK_ADDRESSES);
  });

  it('returns the published first address of the all-zero mnemonic [L-158]', () => {
    const { address } = derivationOf(`${'abandon '.repeat(11)}about`).derive(0);
    expect(address).toBe('0x9858EfFD232B4033E47d90003D41EC34EcaEda94');
  });

  it('returns the known BIP-39 seed of 32 zero bytes (abandon ... art) without an extra passphrase [L-158]', () => {
    const seed = Buffer.from(seedOf(Buffer.alloc(32))).toString('hex');
    expect(seed).toMatch(/^408b285c123836004f4b8842c89324c1f01382450c0d439af345ba7fc49acf70/);
  });

  it('names the index, the full path and the spelling that chain clients report', () => {
    expect(derivationOf(JUNK).derive(2)).toEqual({
      index: 2,
      path: "m/44'/60'/0'/0/2",
      address: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
      addressKey: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
    });
  });

  it('agrees with the wallet of ethers for any entropy and any index, by both of its ways [L-158]', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(2 ** 31 - 1), (entropy, index) => {
        const derivation = evmDerivation(seedOf(entropy), DEPOSIT_ACCOUNT);
        const { address, path } = derivation.derive(index);
        expect(address).toBe(HDNodeWallet.fromMnemonic(Mnemonic.fromEntropy(entropy), path).address);
        expect(derivation.rederive(index)).toBe(address);
      }),
      { numRuns: 10 },
    );
  });
});

describe('a batch', () => {
  const honest = derivationOf(JUNK);
  const faultyAt = (faulty: number): Derivation => ({
    derive: (index) => ({ ...honest.derive(index === faulty ? index + 1 : index), index }),
    rederive: (index) => honest.rederive(index),
  });

  it.each([5, 8])('is thrown away when the address at index %i of 5 to 8 has another key [L-158]', (faulty) => {
    expect(() => deriveBatch(faultyAt(faulty), 5, 4)).toThrow('Two derivations differ');
    expect(deriveBatch(honest, 5, 4).map(({ index }) => index)).toEqual([5, 6, 7, 8]);
  });

  it('reaches the last index that is not hardened', () => {
    expect(deriveBatch(honest, 2 ** 31 - 1, 1)).toMatchObject([{ index: 2 ** 31 - 1 }]);
  });

  it.each([
    [0, 0],
    [0, 1_001],
    [0, 1.5],
    [-1, 1],
    [0.5, 1],
    [NaN, 1],
    [2 ** 31 - 1, 2],
  ])('from %d of %d addresses is refused', (from, count) => {
    expect(() => deriveBatch(honest, from, count)).toThrow(RangeError);
  });
});
