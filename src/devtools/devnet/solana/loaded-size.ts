import { hexOf, type AccountKey } from './account-key.js';
import type { StoredAccount } from './account-versions.js';
import { UPGRADEABLE_LOADER } from './programs.js';
import type { WireMessage } from './wire-transaction.js';

/** SIMD-0186. */
const ACCOUNT_HEAD_BYTES = 64;
const LOOKUP_TABLE_BYTES = 8_248;
/** The address of a program's code, in the account of a program of the upgradeable loader. */
const CODE_ADDRESS_OFFSET = 4;
const PROGRAM_BYTES = 36;

/** Returns the bytes that count against a transaction's limit of loaded account data. */
export function loadedBytesOf(
  message: WireMessage,
  keys: readonly AccountKey[],
  read: (key: AccountKey) => StoredAccount | null,
): number {
  const counted = new Set(keys);
  let bytes = message.lookups.length * LOOKUP_TABLE_BYTES;
  // Addresses of code are added while the set is walked.
  for (const key of counted) {
    const account = read(key);
    if (account === null) continue;
    bytes += ACCOUNT_HEAD_BYTES + account.data.length;
    if (account.owner === UPGRADEABLE_LOADER && account.data.length === PROGRAM_BYTES) {
      counted.add(hexOf(account.data.subarray(CODE_ADDRESS_OFFSET)));
    }
  }
  return bytes;
}
