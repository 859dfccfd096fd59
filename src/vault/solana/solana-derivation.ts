import { createHmac, createPrivateKey, createPublicKey } from 'node:crypto';
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

/** The path of Phantom, Solflare and the Solana CLI for account `index` (BIP-44, coin 501): all its steps are hardened. */
const solanaPath = (index: number): string => `m/44'/501'/${index}'/0'`;
const stepsTo = (index: number): readonly number[] => [44, 501, index, 0];

/**
 * Addresses of wallets on solana. Ed25519 has no public derivation, so each address is derived from the seed, by its
 * private key. Keeps `seed` by reference; the caller zeroes it in the end. Both ways walk the same path, with other
 * implementations of its cryptography. Noble's leaves copies of the key in memory, so it checks samples only.
 */
export function solanaDerivation(seed: Uint8Array): Derivation {
  return {
    derive(index) {
      const address = withKey(seed, index, byNode, (key) => base58.encode(publicKeyByNode(key)));
      return { index, path: solanaPath(index), address, addressKey: address };
    },
    rederive: (index) => withKey(seed, index, byNoble, (key) => base58.encode(ed25519.getPublicKey(key))),
  };
}

/** Calls `use` with the private key of an account, which is zeroed afterwards together with all nodes on the way. */
function withKey<Result>(seed: Uint8Array, index: number, by: Hmac, use: (key: Uint8Array) => Result): Result {
  let node = by(CURVE, seed);
  try {
    for (const step of stepsTo(index)) node = childOf(node, step, by);
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

function publicKeyByNode(key: Uint8Array): Uint8Array {
  const encoded = Buffer.concat([PKCS8_HEAD, key]);
  const privateKey = createPrivateKey({ key: encoded, format: 'der', type: 'pkcs8' });
  encoded.fill(0);
  return createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
}
