import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { SignedBytes } from '../../chains/expiring-transaction.js';
import { rawDataBytes, signedTransaction } from '../../chains/tron/transaction-bytes.js';
import type { UnsignedTronTransaction } from '../../chains/tron/unsigned-transaction.js';
import { addressOfKey } from './tron-derivation.js';

/** Recovery ids 0 and 1 are written as 27 and 28, as wallets of tron do. */
const RECOVERY_OFFSET = 27;

/**
 * Signs with the owner's private key; the same arguments always return the same bytes (RFC 6979), with the lower `s`. No arbitrary bytes
 * are signed: the message is built here.
 * @throws TypeError unless the key is the owner's, and the only one
 */
export function signTronTransaction(keys: readonly Uint8Array[], unsigned: UnsignedTronTransaction): SignedBytes {
  const [key, ...others] = keys;
  if (key === undefined || others.length > 0 || addressOfKey(key) !== unsigned.owner) {
    throw new TypeError('Invalid vault request fields: question.signers.');
  }
  const rawData = rawDataBytes(unsigned);
  const id = sha256(rawData);
  const [recovery = 0, ...compact] = secp256k1.sign(id, key, { prehash: false, format: 'recovered' });
  const signature = Uint8Array.from([...compact, recovery + RECOVERY_OFFSET]);
  return { txHash: bytesToHex(id), raw: signedTransaction(rawData, signature) };
}
