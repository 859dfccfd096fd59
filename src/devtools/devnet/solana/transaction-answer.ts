import { z } from 'zod';
import { addressOf, base58Of, hexOf, type AccountKey } from './account-key.js';
import { isWritable, type TransactionAccounts } from './account-keys.js';
import type { ExecutedTransaction, InnerInstruction, Outcome, TokenBalance } from './executed-transaction.js';
import { parsedInstruction } from './parsed-instruction.js';
import { unsupportedVersion } from './rpc-error.js';
import { uiTokenAmount } from './token-amount.js';
import { decodeTransaction, type WireInstruction, type WireTransaction } from './wire-transaction.js';

export const TRANSACTION_ENCODING = z.enum(['json', 'jsonParsed', 'base58', 'base64']);
export type TransactionEncoding = z.infer<typeof TRANSACTION_ENCODING>;

/** A transaction and the version that the caller can read; null = only those without a version. */
export interface AnswerOptions {
  readonly encoding: TransactionEncoding;
  readonly maxVersion: number | null;
}

/** Returns a transaction as blocks and `getTransaction` answer it. @throws RpcError -32015 */
export function transactionAnswer(executed: ExecutedTransaction, { encoding, maxVersion }: AnswerOptions): object {
  const transaction = decodeTransaction(executed.bytes);
  const { outcome } = executed;
  const accounts = accountsIn(transaction, outcome);
  const isParsed = encoding === 'jsonParsed';
  const { loadedAddresses, ...meta } = metaAnswer(outcome);
  return {
    meta: {
      ...meta,
      innerInstructions: innerAnswer(outcome, accounts.keys, isParsed),
      // The encoding `jsonParsed` names them among all accounts.
      ...(!isParsed && { loadedAddresses }),
    },
    transaction: encodedTransaction(transaction, accounts, encoding),
    ...versionAnswer(transaction, maxVersion),
  };
}

/** Returns what blocks list of a transaction when only its accounts are asked for. @throws RpcError -32015 */
export function accountsAnswer(executed: ExecutedTransaction, maxVersion: number | null): object {
  const transaction = decodeTransaction(executed.bytes);
  const { outcome } = executed;
  const accounts = accountsIn(transaction, outcome);
  const { err, fee, postBalances, postTokenBalances, preBalances, preTokenBalances, status } = metaAnswer(outcome);
  return {
    meta: { err, fee, postBalances, postTokenBalances, preBalances, preTokenBalances, status },
    transaction: {
      accountKeys: accountKeysAnswer(transaction, accounts),
      signatures: transaction.signatures.map((signature) => base58Of(hexOf(signature))),
    },
    ...versionAnswer(transaction, maxVersion),
  };
}

/** Returns the token balances of a transaction as answers list them. */
export const tokenBalancesAnswer = (balances: readonly TokenBalance[]): object[] =>
  balances.map(({ accountIndex, mint, owner, program, amount, decimals }) => ({
    accountIndex,
    mint: addressOf(mint),
    owner: addressOf(owner),
    programId: addressOf(program),
    uiTokenAmount: uiTokenAmount(amount, decimals),
  }));

/** Returns the calls of programs as answers list them. */
export function innerAnswer(
  { inner }: Pick<Outcome, 'inner'>,
  keys: readonly AccountKey[],
  isParsed: boolean,
): object[] {
  return inner.map(([index, calls]) => ({
    index,
    instructions: calls.map((call) => ({
      ...(isParsed ? parsedAnswer(call, keys) : plainAnswer(call)),
      stackHeight: call.stackHeight,
    })),
  }));
}

/** Returns what a program has returned, as answers have it. */
export const returnDataAnswer = ({ returnData }: Pick<Outcome, 'returnData'>): object | null =>
  returnData === null
    ? null
    : { data: [Buffer.from(returnData.data).toString('base64'), 'base64'], programId: addressOf(returnData.program) };

function metaAnswer(outcome: Outcome) {
  const { error } = outcome;
  const returnData = returnDataAnswer(outcome);
  return {
    computeUnitsConsumed: outcome.unitsConsumed,
    err: error,
    fee: outcome.fee,
    loadedAddresses: {
      readonly: outcome.loadedReadonly.map(addressOf),
      writable: outcome.loadedWritable.map(addressOf),
    },
    logMessages: outcome.logs,
    postBalances: outcome.after,
    postTokenBalances: tokenBalancesAnswer(outcome.tokensAfter),
    preBalances: outcome.before,
    preTokenBalances: tokenBalancesAnswer(outcome.tokensBefore),
    ...(returnData !== null && { returnData }),
    rewards: [],
    status: error === null ? { Ok: null } : { Err: error },
  };
}

function versionAnswer({ version }: WireTransaction, maxVersion: number | null): object {
  if (version !== 'legacy' && version > (maxVersion ?? -1)) throw unsupportedVersion(version);
  return maxVersion === null ? {} : { version };
}

const accountsIn = ({ keys }: WireTransaction, outcome: Outcome): TransactionAccounts => ({
  keys: [...keys, ...outcome.loadedWritable, ...outcome.loadedReadonly],
  loadedWritable: outcome.loadedWritable,
  loadedReadonly: outcome.loadedReadonly,
});

function encodedTransaction(
  transaction: WireTransaction,
  accounts: TransactionAccounts,
  encoding: TransactionEncoding,
): unknown {
  if (encoding === 'base64') return [Buffer.from(transaction.bytes).toString('base64'), encoding];
  if (encoding === 'base58') return [base58Of(hexOf(transaction.bytes)), encoding];
  const isParsed = encoding === 'jsonParsed';
  const { header, config } = transaction;
  const message = {
    accountKeys: isParsed ? accountKeysAnswer(transaction, accounts) : transaction.keys.map(addressOf),
    ...(transaction.version === 0 && { addressTableLookups: lookupsAnswer(transaction) }),
    ...(!isParsed && {
      header: {
        numReadonlySignedAccounts: header.readonlySigners,
        numReadonlyUnsignedAccounts: header.readonlyOthers,
        numRequiredSignatures: header.signers,
      },
    }),
    instructions: transaction.instructions.map((one) => ({
      ...(isParsed ? parsedAnswer(one, accounts.keys) : plainAnswer(one)),
      stackHeight: null,
    })),
    recentBlockhash: addressOf(transaction.blockhash),
    ...(config !== null && { transactionConfig: config }),
  };
  return { message, signatures: transaction.signatures.map((signature) => base58Of(hexOf(signature))) };
}

const lookupsAnswer = ({ lookups }: WireTransaction): object[] =>
  lookups.map(({ table, writable, readonly }) => ({
    accountKey: addressOf(table),
    readonlyIndexes: [...readonly],
    writableIndexes: [...writable],
  }));

const accountKeysAnswer = (transaction: WireTransaction, accounts: TransactionAccounts): object[] =>
  accounts.keys.map((key, index) => ({
    pubkey: addressOf(key),
    signer: index < transaction.header.signers,
    source: index < transaction.keys.length ? 'transaction' : 'lookupTable',
    writable: isWritable(transaction, accounts, index),
  }));

const plainAnswer = ({ programIndex, accounts, data }: WireInstruction | InnerInstruction): object => ({
  accounts: [...accounts],
  data: base58Of(hexOf(data)),
  programIdIndex: programIndex,
});

function parsedAnswer(instruction: WireInstruction | InnerInstruction, keys: readonly AccountKey[]): object {
  const { programIndex, accounts, data } = instruction;
  const named = { program: keys[programIndex] ?? '', accounts: [...accounts].map((index) => keys[index] ?? ''), data };
  const parsed = parsedInstruction(named);
  return 'parsed' in parsed ? parsed : { ...parsed, data: base58Of(hexOf(data)) };
}
