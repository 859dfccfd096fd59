import * as fc from 'fast-check';
import { TronWeb } from 'tronweb';
import { derivationVectors } from '../../../test/support/derivation-vectors.js';
import { hashOfKey, hexOfKey, keyOfHash } from './tron-address.js';

const HASH_BYTES = { minLength: 20, maxLength: 20 };

describe('an address of Tron', () => {
  it('has the key that tronweb gives it, and the key leads back to it', () => {
    fc.assert(
      fc.property(fc.uint8Array(HASH_BYTES), (bytes) => {
        const hash = Buffer.from(bytes).toString('hex');
        const key = keyOfHash(hash);
        expect(key).toBe(TronWeb.address.fromHex(`41${hash}`));
        expect(hashOfKey(key)).toBe(hash);
        expect(hexOfKey(key)).toBe(`41${hash}`);
      }),
    );
  });

  it.each(['00'.repeat(20), 'ff'.repeat(20)])('has 34 characters also as the extreme %s', (hash) => {
    expect(keyOfHash(hash)).toMatch(/^T[1-9A-HJ-NP-Za-km-z]{33}$/);
    expect(hashOfKey(keyOfHash(hash))).toBe(hash);
  });

  it.each(derivationVectors('tron'))('$address of other wallets is read and written unchanged', ({ address }) => {
    expect(keyOfHash(hashOfKey(address))).toBe(address);
  });
});
