import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { bytesOf } from './account-key.js';
import type { WireTransaction } from './wire-transaction.js';

/** What precedes the 32 bytes of an Ed25519 key in DER (RFC 8410). */
const PUBLIC_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const PRIVATE_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Whether each signer of a transaction has signed its message. */
export function isFullySigned({ signatures, keys, message }: WireTransaction): boolean {
  return signatures.every((signature, i) => {
    const der = Buffer.concat([PUBLIC_HEAD, bytesOf(keys[i] ?? '')]);
    return verify(null, message, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature);
  });
}

/** Signs with an Ed25519 private key of 32 bytes. */
export function signMessage(message: Uint8Array, secret: Uint8Array): Uint8Array {
  const der = Buffer.concat([PRIVATE_HEAD, secret]);
  return sign(null, message, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
}

/** Returns the public key of an Ed25519 private key. */
export function publicKeyOf(secret: Uint8Array): Uint8Array {
  const der = Buffer.concat([PRIVATE_HEAD, secret]);
  const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  return key.export({ format: 'der', type: 'spki' }).subarray(PUBLIC_HEAD.length);
}
