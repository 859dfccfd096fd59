import { recover } from 'tiny-secp256k1';
import { addressOfPublicKey, base58Of } from '../address.js';
import { RESULT_BYTES } from './bandwidth.js';
import { Refusal } from './refusal.js';
import type { TronContract, TronTransaction } from './tron-transaction.js';

/** Source: Constant.TRANSACTION_MAX_BYTE_SIZE. */
const TRANSACTION_BYTES_MAX = 500 * 1024;
/** Source: Constant.MAXIMUM_TIME_UNTIL_EXPIRATION. */
const LIFETIME_MAX_MS = 24 * 60 * 60 * 1_000;
const SIGNATURE_BYTES = 65;
const COMPACT_BYTES = 64;
/** Recovery ids are written as 0 and 1, or as 27 and 28. */
const RECOVERY_OFFSET = 27;
/** The owner permission, and the active permission that every account has by default for the same key. */
const PERMISSIONS = [0n, 2n];

/**
 * Checks size and expiration: the next block must come before the expiration, and that at most a day after the previous
 * block. Source: Manager.validateCommon, TransactionCapsule.checkExpiration.
 * @throws Refusal
 */
export function checkSizeAndExpiration(
  { bytes, raw, id }: TronTransaction,
  headTime: number,
  nextSlotTime: number,
): void {
  const size = bytes.length + 2 * RESULT_BYTES;
  if (size > TRANSACTION_BYTES_MAX) {
    throw new Refusal(
      'too_big',
      `Too big transaction with result, TxId ${id}, the size is ${size} bytes, maxTxSize ${TRANSACTION_BYTES_MAX}`,
    );
  }
  const expiration = Number(raw.int('expiration'));
  if (expiration < nextSlotTime || expiration <= headTime || expiration > headTime + LIFETIME_MAX_MS) {
    throw new Refusal('expiration', `The transaction expires at ${expiration}, the previous block is of ${headTime}.`);
  }
}

/**
 * Checks that one key of the owner's default permissions has signed. Source: TransactionCapsule.checkWeight.
 * @throws Refusal
 */
export function checkSignature({ id, signatures }: TronTransaction, { owner, permissionId }: TronContract): void {
  if (!PERMISSIONS.includes(permissionId)) throw new Refusal('signature', "permission isn't exit");
  if (signatures.length > 1) {
    throw new Refusal('signature', `Signature count is ${signatures.length} more than key counts of permission : 1`);
  }
  const [signature] = signatures;
  if (signature === undefined) throw new Refusal('signature', 'miss sig or contract');
  if (signature.length < SIGNATURE_BYTES) {
    throw new Refusal('signature', `Signature size is ${signature.length}`);
  }
  const signer = signerOf(id, signature);
  if (signer === owner) return;
  const hex = Buffer.from(signature).toString('hex');
  throw new Refusal(
    'signature',
    signer === null
      ? 'Could not recover public key from signature'
      : `${hex} is signed by ${base58Of(signer)} but it is not contained of permission.`,
  );
}

/** Returns the address key of the signer, or null when the signature is of no key. */
function signerOf(id: string, signature: Uint8Array): string | null {
  const written = signature[COMPACT_BYTES] ?? 0;
  const recovery = written >= RECOVERY_OFFSET ? written - RECOVERY_OFFSET : written;
  if (recovery !== 0 && recovery !== 1) return null;
  try {
    const point = recover(Buffer.from(id, 'hex'), signature.subarray(0, COMPACT_BYTES), recovery, false);
    return point === null ? null : addressOfPublicKey(point);
  } catch {
    return null;
  }
}
