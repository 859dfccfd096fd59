import { HDKey } from '@scure/bip32';
import { computeAddress } from 'ethers/transaction';
import type { Derivation } from './derivation.js';

/** The path every EVM wallet uses (BIP-44, coin 60); the address index follows. */
const PARENT_PATH = "m/44'/60'/0'/0";

/** Addresses of ethereum, polygon and bnb. Keeps `seed` by reference: who passed it zeroes it in the end. */
export function evmDerivation(seed: Uint8Array): Derivation {
  const parent = publicParent(seed);
  return {
    derive(index) {
      const { publicKey } = parent.deriveChild(index);
      const address = computeAddress(hex(publicKey));
      return { index, path: `${PARENT_PATH}/${index}`, address, addressKey: address.toLowerCase() };
    },
    rederive(index) {
      const child = HDKey.fromMasterSeed(seed).derive(`${PARENT_PATH}/${index}`);
      const address = computeAddress(hex(child.privateKey));
      child.wipePrivateData();
      return address;
    },
  };
}

/** The kept node: walking the path once makes a batch three times as fast, and without private keys in it. */
function publicParent(seed: Uint8Array): HDKey {
  const parent = HDKey.fromMasterSeed(seed).derive(PARENT_PATH);
  const publicOnly = HDKey.fromExtendedKey(parent.publicExtendedKey);
  parent.wipePrivateData();
  return publicOnly;
}

function hex(key: Uint8Array | null): string {
  if (!key) throw new Error('The derived node has no such key.');
  return `0x${Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('hex')}`;
}
