import { bytesOf, type AccountKey } from './account-key.js';
import type { DevSigner } from './solana-dev-accounts.js';
import { signMessage } from './signatures.js';
import { decodeTransaction, type WireTransaction } from './wire-transaction.js';

export interface BuiltInstruction {
  readonly program: AccountKey;
  readonly accounts: readonly { readonly key: AccountKey; readonly isWritable: boolean }[];
  readonly data: Uint8Array;
}

/** Builds and signs a transaction with one signer, who pays for it. Other accounts do not sign. */
export function signedTransaction(
  signer: DevSigner,
  instructions: readonly BuiltInstruction[],
  blockhash: string,
): WireTransaction {
  const named = instructions.flatMap(({ accounts }) => accounts);
  const others = new Set(named.map(({ key }) => key).filter((key) => key !== signer.key));
  const writable = [...others].filter((key) => named.some((one) => one.key === key && one.isWritable));
  const readonly = new Set([...others].filter((key) => !writable.includes(key)));
  for (const { program } of instructions) if (!writable.includes(program)) readonly.add(program);
  const keys = [signer.key, ...writable, ...readonly];
  const message = Buffer.concat([
    Buffer.from([1, 0, readonly.size, keys.length]),
    ...keys.map(bytesOf),
    bytesOf(blockhash),
    Buffer.from([instructions.length]),
    ...instructions.map((instruction) => encoded(instruction, keys)),
  ]);
  const signature = signMessage(message, signer.secret);
  return decodeTransaction(Buffer.concat([Buffer.from([1]), signature, message]));
}

/** Lengths below 128 take one byte; these instructions have no others. */
function encoded({ program, accounts, data }: BuiltInstruction, keys: readonly AccountKey[]): Buffer {
  const indexes = accounts.map(({ key }) => keys.indexOf(key));
  return Buffer.concat([Buffer.from([keys.indexOf(program), indexes.length, ...indexes, data.length]), data]);
}
