import * as fc from 'fast-check';
import { derivationVectors } from '../../../test/support/derivation-vectors.js';
import { addressFormOf } from '../../domain/address-form.js';
import { deriveBatch, seedOf } from '../derivation.js';
import { DEPOSIT_STEP, solanaDerivation } from './solana-derivation.js';

const INDEX_STEP = 3;
const indexIn = (path: string): number => Number(path.split('/')[INDEX_STEP]?.replace("'", ''));

describe('solana derivation', () => {
  it.each(derivationVectors('solana'))(
    'derives $path of the mnemonic "$mnemonic" as other wallets do [L-158]',
    (vector) => {
      const { seed, path, address } = vector;
      const index = indexIn(path);
      const derivation = solanaDerivation(seed, DEPOSIT_STEP);
      expect(derivation.derive(index)).toEqual({ index, path, address, addressKey: address });
      expect(derivation.rederive(index)).toBe(address);
    },
  );

  it('agrees with itself for any entropy and any index, by two implementations [L-158]', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(2 ** 31 - 1), (entropy, index) => {
        const derivation = solanaDerivation(seedOf(entropy), DEPOSIT_STEP);
        const { address } = derivation.derive(index);
        expect(derivation.rederive(index)).toBe(address);
        expect(addressFormOf(address)).toEqual({ family: 'solana', key: address });
      }),
      { numRuns: 20 },
    );
  });

  it('leaves the seed as it was, so that a batch has one address for each index', () => {
    const seed = seedOf(Buffer.alloc(32, 7));
    const before = Buffer.from(seed);
    const batch = deriveBatch(solanaDerivation(seed, DEPOSIT_STEP), 5, 20);
    expect(batch.map(({ index }) => index)).toEqual(Array.from({ length: 20 }, (_, n) => 5 + n));
    expect(new Set(batch.map(({ address }) => address)).size).toBe(20);
    expect(before.equals(seed)).toBe(true);
  });
});
