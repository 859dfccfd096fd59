import { MEMO_PROGRAM, MEMO_V1_PROGRAM } from './programs.js';
import { decodeTransaction } from './wire-transaction.js';

/** Returns the memos of a transaction with their lengths, as lists of signatures have them; null when it has none. */
export function memosOf(bytes: Uint8Array): string | null {
  const { instructions, keys } = decodeTransaction(bytes);
  const memos = instructions
    .filter(({ programIndex }) => [MEMO_PROGRAM, MEMO_V1_PROGRAM].includes(keys[programIndex] ?? ''))
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString('utf8')}`);
  return memos.length === 0 ? null : memos.join('; ');
}
