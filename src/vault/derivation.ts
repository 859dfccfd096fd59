import { HDKey } from '@scure/bip32';
import { entropyToMnemonic, mnemonicToSeedSync } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import type { DerivedAddress } from './vault.js';

/** Derives the addresses of one family from a seed; each family has its own file. */
export interface Derivation {
  /** Returns the address at `index`, by the fast way. */
  derive(index: number): DerivedAddress;
  /** Returns the address at `index`, from the seed and through the private key, by other implementations than `derive`. */
  rederive(index: number): string;
}

const BATCH_MAX = 1_000;
/** The highest index of a key: those above are hardened. */
export const INDEX_MAX = 2 ** 31 - 1;

/**
 * Returns the 64-byte BIP-39 seed (no extra passphrase) of a mnemonic's entropy. The mnemonic exists as a string
 * meanwhile.
 */
export function seedOf(entropy: Uint8Array): Uint8Array {
  return mnemonicToSeedSync(entropyToMnemonic(entropy, wordlist));
}

/**
 * Returns the node at a BIP-32 path, with its private key, which the caller wipes after use. The nodes on the way are
 * wiped here, since each of them could derive the key again.
 */
export function privateNode(seed: Uint8Array, path: string): HDKey {
  let node = HDKey.fromMasterSeed(seed);
  for (const step of path.split('/').slice(1)) {
    const child = node.derive(`m/${step}`);
    node.wipePrivateData();
    node = child;
  }
  return node;
}

/**
 * Returns the private keys at these indexes below a BIP-32 path, in their order, as new arrays which the caller zeroes. Their
 * parent node is derived once.
 */
export function privateKeys(seed: Uint8Array, parentPath: string, indexes: readonly number[]): readonly Uint8Array[] {
  const parent = privateNode(seed, parentPath);
  try {
    return indexes.map((index) => {
      const child = parent.deriveChild(index);
      const key = child.privateKey;
      child.wipePrivateData();
      if (key === null) throw new Error('The derived node has no private key.');
      return key;
    });
  } finally {
    parent.wipePrivateData();
  }
}

/** Returns the node at a BIP-32 path without private keys, to keep: a batch is derived three times as fast from it. */
export function publicParent(seed: Uint8Array, path: string): HDKey {
  const parent = privateNode(seed, path);
  const publicOnly = HDKey.fromExtendedKey(parent.publicExtendedKey);
  parent.wipePrivateData();
  return publicOnly;
}

/**
 * Returns `count` addresses from index `from` on. The first and the last are derived a second time: funds sent to an
 * address without a key are lost, so a batch that cannot prove itself is rejected.
 */
export function deriveBatch(derivation: Derivation, from: number, count: number): DerivedAddress[] {
  if (!Number.isInteger(count) || count < 1 || count > BATCH_MAX) {
    throw new RangeError(`A batch holds 1 to ${BATCH_MAX} addresses, not ${count}.`);
  }
  if (!Number.isInteger(from) || from < 0 || from + count - 1 > INDEX_MAX) {
    throw new RangeError(`Addresses from index ${from} on lie outside 0 to ${INDEX_MAX}.`);
  }
  const batch = Array.from({ length: count }, (_, offset) => derivation.derive(from + offset));
  for (const sample of [batch.at(0), batch.at(-1)]) {
    if (sample && derivation.rederive(sample.index) !== sample.address) {
      throw new Error(`Two derivations differ at ${sample.path}: the batch must not be used.`);
    }
  }
  return batch;
}
