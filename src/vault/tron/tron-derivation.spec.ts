import * as fc from 'fast-check';
import { derivationVectors } from '../../../test/support/derivation-vectors.js';
import { addressFormOf } from '../../domain/address-form.js';
import { deriveBatch, seedOf } from '../derivation.js';
import { TRON_DEPOSIT_ACCOUNT, tronDerivation } from './tron-derivation.js';

const INDEX_STEP = 5;
const indexIn = (path: string): number => Number(path.split('/')[INDEX_STEP]?.replace("'", ''));

describe('tron derivation', () => {
  it.each(derivationVectors('tron'))(
    'derives $path of the mnemonic "$mnemonic" as other wallets do [L-158]',
    (vector) => {
      const { seed, path, address } = vector;
      const index = indexIn(path);
      const derivation = tronDerivation(seed, TRON_DEPOSIT_ACCOUNT);
      expect(derivation.derive(index)).toEqual({ index, path, address, addressKey: address });
      expect(derivation.rederive(index)).toBe(address);
    },
  );

  it('agrees with itself for any entropy and any index, by two implementations [L-158]', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(2 ** 31 - 1), (entropy, index) => {
        const derivation = tronDerivation(seedOf(entropy), TRON_DEPOSIT_ACCOUNT);
        const { address } = derivation.derive(index);
        expect(derivation.rederive(index)).toBe(address);
        expect(addressFormOf(address)).toEqual({ family: 'tron', key: address });
      }),
      { numRuns: 20 },
    );
  });

  it('leaves the seed as it was, so that a batch has one address for each index', () => {
    const seed = seedOf(Buffer.alloc(32, 7));
    const before = Buffer.from(seed);
    const batch = deriveBatch(tronDerivation(seed, TRON_DEPOSIT_ACCOUNT), 5, 20);
    expect(batch.map(({ index }) => index)).toEqual(Array.from({ length: 20 }, (_, n) => 5 + n));
    expect(new Set(batch.map(({ address }) => address)).size).toBe(20);
    expect(before.equals(seed)).toBe(true);
  });
});
