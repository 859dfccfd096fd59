import type { WireMessage, WireTransaction } from './wire-transaction.js';

const KEYS_MAX = 256;
const V1_KEYS_MAX = 64;
const V1_INSTRUCTIONS_MAX = 64;
const V1_SIGNERS_MAX = 12;

/** Agave's texts of `SanitizeError`. */
type SanitizeFault = 'index out of bounds' | 'invalid value';

/**
 * Returns why a node refuses a transaction before it looks at any account, or null (solana-message `sanitize` of each
 * version; the limits of version 1 are those of SIMD-0385).
 */
export function sanitizeFault(transaction: WireTransaction): SanitizeFault | null {
  const { header, signatures } = transaction;
  if (signatures.length !== header.signers) return 'index out of bounds';
  return messageFault(transaction);
}

/** Does the same for a message without signatures. */
export function messageFault(message: WireMessage): SanitizeFault | null {
  const { header, keys, lookups } = message;
  if (header.signers + header.readonlyOthers > keys.length) return 'index out of bounds';
  // The fee payer signs and is writable.
  if (header.readonlySigners >= header.signers) return 'index out of bounds';
  if (lookups.some(({ writable, readonly }) => writable.length + readonly.length === 0)) return 'invalid value';
  if (message.version === 1 && isBeyondV1(message)) return 'invalid value';
  const loaded = lookups.reduce((sum, { writable, readonly }) => sum + writable.length + readonly.length, 0);
  const total = keys.length + loaded;
  if (total > KEYS_MAX) return 'index out of bounds';
  return message.instructions.every(
    ({ programIndex, accounts }) =>
      programIndex > 0 && programIndex < keys.length && accounts.every((index) => index < total),
  )
    ? null
    : 'index out of bounds';
}

function isBeyondV1({ header, keys, instructions }: WireMessage): boolean {
  return (
    keys.length > V1_KEYS_MAX ||
    instructions.length > V1_INSTRUCTIONS_MAX ||
    header.signers > V1_SIGNERS_MAX ||
    new Set(keys).size < keys.length
  );
}
