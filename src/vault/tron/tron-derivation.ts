import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58, createBase58check } from '@scure/base';
import { SigningKey } from 'ethers/crypto';
import { type Derivation, privateNode, publicParent } from '../derivation.js';

const PARENT_PATH = `m/44'/195'/0'/0`;
/** The first byte of every address. */
const VERSION = 0x41;
const HASH_BYTES = 20;
const CHECKSUM_BYTES = 4;

const base58check = createBase58check(sha256);

/** The path of TronLink and Trust Wallet (BIP-44, coin 195). */
const tronPath = (index: number): string => `${PARENT_PATH}/${index}`;

/** Addresses of tron. Keeps `seed` by reference; the caller zeroes it in the end. */
export function tronDerivation(seed: Uint8Array): Derivation {
  const parent = publicParent(seed, PARENT_PATH);
  return {
    derive(index) {
      const { publicKey } = parent.deriveChild(index);
      if (publicKey === null) throw new Error('The derived node has no public key.');
      const point = secp256k1.Point.fromBytes(publicKey).toBytes(false);
      const address = base58check.encode(versioned(point));
      return { index, path: tronPath(index), address, addressKey: address };
    },
    rederive(index) {
      const child = privateNode(seed, tronPath(index));
      const privateKey = child.privateKey ?? new Uint8Array();
      // As bytes, which can be wiped: as a string the key would stay in memory.
      const point = SigningKey.computePublicKey(privateKey);
      privateKey.fill(0);
      child.wipePrivateData();
      const body = versioned(Buffer.from(point.slice(2), 'hex'));
      return base58.encode(Buffer.concat([body, doubleSha256(body).subarray(0, CHECKSUM_BYTES)]));
    },
  };
}

/** The bytes of an address: the version, and the end of the hash of an uncompressed public key. */
const versioned = (point: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(VERSION), keccak_256(point.subarray(1)).subarray(-HASH_BYTES)]);

const doubleSha256 = (bytes: Uint8Array): Buffer =>
  createHash('sha256').update(createHash('sha256').update(bytes).digest()).digest();
