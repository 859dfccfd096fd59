import { hexOf, type AccountKey } from './account-key.js';
import { LOOKUP_TABLE_PROGRAM } from './programs.js';
import type { StoredAccount } from './account-versions.js';
import type { WireMessage } from './wire-transaction.js';

/** Where the addresses of a lookup table begin (solana-address-lookup-table-interface `LOOKUP_TABLE_META_SIZE`). */
const TABLE_HEAD_BYTES = 56;
const KEY_BYTES = 32;

/** The accounts of a transaction in the order of their indexes: static ones, then those that tables load. */
export interface TransactionAccounts {
  readonly keys: readonly AccountKey[];
  readonly loadedWritable: readonly AccountKey[];
  readonly loadedReadonly: readonly AccountKey[];
}

/**
 * Returns the accounts of a message, or null when a lookup table does not exist or is too short: then the virtual machine
 * finds the error.
 */
export function accountsOf(
  message: WireMessage,
  read: (key: AccountKey) => StoredAccount | null,
): TransactionAccounts | null {
  const writable: AccountKey[] = [];
  const readonly: AccountKey[] = [];
  for (const lookup of message.lookups) {
    const table = read(lookup.table);
    if (table === null || table.owner !== LOOKUP_TABLE_PROGRAM) return null;
    for (const [indexes, found] of [
      [lookup.writable, writable],
      [lookup.readonly, readonly],
    ] as const) {
      for (const index of indexes) {
        const start = TABLE_HEAD_BYTES + index * KEY_BYTES;
        if (start + KEY_BYTES > table.data.length) return null;
        found.push(hexOf(table.data.subarray(start, start + KEY_BYTES)));
      }
    }
  }
  return { keys: [...message.keys, ...writable, ...readonly], loadedWritable: writable, loadedReadonly: readonly };
}

/** Whether the account with this index is writable. */
export function isWritable({ header, keys }: WireMessage, accounts: TransactionAccounts, index: number): boolean {
  if (index < header.signers) return index < header.signers - header.readonlySigners;
  if (index < keys.length) return index < keys.length - header.readonlyOthers;
  return index < keys.length + accounts.loadedWritable.length;
}
