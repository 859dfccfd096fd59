import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { base58 } from '@scure/base';
import type { Derivation } from '../derivation.js';

/** A node of the key tree of SLIP-10: the key in the first 32 bytes, the chain code in the last. */
type Node = Uint8Array;
type Hmac = (key: Uint8Array, data: Uint8Array) => Uint8Array;

const CURVE = Buffer.from('ed25519 seed');
const KEY_BYTES = 32;
const HARDENED = 0x8000_0000;
/** The beginning of an Ed25519 private key in PKCS #8, which its 32 bytes follow (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

const byNoble: Hmac = (key, data) => hmac(sha512, key, data);
const byNode: Hmac = (key, data) => createHmac('sha512', key).update(data).digest();

/** The last step of the path: hot wallets are beside all deposit addresses. */
export const DEPOSIT_STEP = 0;
export const HOT_WALLET_STEP = 1;
/** The index of the hot wallet. Wallets hold funds: it is never changed. */
export const SOLANA_HOT_WALLET_INDEX = 0;

/** An account that signs. OpenSSL keeps its key, and zeroes it when this object is freed. */
export interface SolanaKey {
  readonly address: string;
  sign(message: Uint8Array): Uint8Array;
}

/**
 * The path of Phantom, Solflare and the Solana CLI for account `index` (BIP-44, coin 501), which ends in 0: all its steps
 * are hardened.
 */
const solanaPath = (index: number, last: number): string => `m/44'/501'/${index}'/${last}'`;
const stepsTo = (index: number, last: number): readonly number[] => [44, 501, index, last];

/**
 * Addresses of wallets on solana, whose paths end in the step `last`. Ed25519 has no public derivation, so each address is
 * derived from the seed, by its private key. Keeps `seed` by reference; the caller zeroes it in the end. Both ways walk the
 * same path, with other implementations of its cryptography. Noble's leaves copies of the key in memory, so it checks
 * samples only.
 */
export function solanaDerivation(seed: Uint8Array, last: number): Derivation {
  return {
    derive(index) {
      const address = withKey(seed, stepsTo(index, last), byNode, (key) => addressOf(keyObject(key)));
      return { index, path: solanaPath(index, last), address, addressKey: address };
    },
    rederive: (index) =>
      withKey(seed, stepsTo(index, last), byNoble, (key) => base58.encode(ed25519.getPublicKey(key))),
  };
}

/** Returns the account at a path that ends in the step `last`, to sign with at once. */
export function solanaKey(seed: Uint8Array, index: number, last: number): SolanaKey {
  const key = withKey(seed, stepsTo(index, last), byNode, keyObject);
  return { address: addressOf(key), sign: (message) => sign(null, message, key) };
}

/** Calls `use` with the private key at a path, which is zeroed afterwards together with all nodes on the way. */
function withKey<Result>(
  seed: Uint8Array,
  steps: readonly number[],
  by: Hmac,
  use: (key: Uint8Array) => Result,
): Result {
  let node = by(CURVE, seed);
  try {
    for (const step of steps) node = childOf(node, step, by);
    return use(node.subarray(0, KEY_BYTES));
  } finally {
    node.fill(0);
  }
}

/** Returns a hardened child, and zeroes its parent. */
function childOf(parent: Node, step: number, by: Hmac): Node {
  const data = Buffer.alloc(1 + KEY_BYTES + 4);
  data.set(parent.subarray(0, KEY_BYTES), 1);
  data.writeUInt32BE(HARDENED + step, 1 + KEY_BYTES);
  const child = by(parent.subarray(KEY_BYTES), data);
  data.fill(0);
  parent.fill(0);
  return child;
}

function keyObject(key: Uint8Array): KeyObject {
  const encoded = Buffer.concat([PKCS8_HEAD, key]);
  const privateKey = createPrivateKey({ key: encoded, format: 'der', type: 'pkcs8' });
  encoded.fill(0);
  return privateKey;
}

function addressOf(key: KeyObject): string {
  return base58.encode(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES));
}
