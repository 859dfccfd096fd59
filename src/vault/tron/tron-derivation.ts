import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58, createBase58check } from '@scure/base';
import { SigningKey } from 'ethers/crypto';
import { type Derivation, privateKeys, privateNode, publicParent } from '../derivation.js';

/** BIP-44 accounts. Deposit addresses and hot wallets use different ones. */
export const TRON_DEPOSIT_ACCOUNT = 0;
export const TRON_HOT_WALLET_ACCOUNT = 1;
/** The index of the hot wallet. Wallets hold funds: it is never changed. */
export const TRON_HOT_WALLET_INDEX = 0;

/** The first byte of every address. */
const VERSION = 0x41;
const HASH_BYTES = 20;
const CHECKSUM_BYTES = 4;

const base58check = createBase58check(sha256);

/** The path of TronLink and Trust Wallet (BIP-44, coin 195). */
const tronPath = (account: number, index: number): string => `${parentPath(account)}/${index}`;
const parentPath = (account: number): string => `m/44'/195'/${account}'/0`;

/** Addresses of tron in one account. Keeps `seed` by reference; the caller zeroes it in the end. */
export function tronDerivation(seed: Uint8Array, account: number): Derivation {
  const parent = publicParent(seed, parentPath(account));
  return {
    derive(index) {
      const { publicKey } = parent.deriveChild(index);
      if (publicKey === null) throw new Error('The derived node has no public key.');
      const point = secp256k1.Point.fromBytes(publicKey).toBytes(false);
      const address = addressOf(point);
      return { index, path: tronPath(account, index), address, addressKey: address };
    },
    rederive(index) {
      const child = privateNode(seed, tronPath(account, index));
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

/** Returns the private keys at these indexes of an account, as `privateKeys` does. */
export function tronPrivateKeys(seed: Uint8Array, account: number, indexes: readonly number[]): readonly Uint8Array[] {
  return privateKeys(seed, parentPath(account), indexes);
}

/** Returns the address of a private key. */
export const addressOfKey = (key: Uint8Array): string => addressOf(secp256k1.getPublicKey(key, false));

const addressOf = (point: Uint8Array): string => base58check.encode(versioned(point));

/** The bytes of an address: the version, and the end of the hash of an uncompressed public key. */
const versioned = (point: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(VERSION), keccak_256(point.subarray(1)).subarray(-HASH_BYTES)]);

const doubleSha256 = (bytes: Uint8Array): Buffer =>
  createHash('sha256').update(createHash('sha256').update(bytes).digest()).digest();
