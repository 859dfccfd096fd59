import type { AccountKey } from './account-key.js';
import { addressOf } from './account-key.js';
import { accountsOf } from './account-keys.js';
import type { StoredAccount } from './account-versions.js';
import type { Block } from './block-ledger.js';
import type { SolanaChain } from './chain.js';
import { errorOf, metaOf, tokenBalancesOf } from './executor.js';
import { loadedBytesOf } from './loaded-size.js';
import { innerAnswer, returnDataAnswer, tokenBalancesAnswer } from './transaction-answer.js';
import type { TransactionErrorJson } from './transaction-error.js';
import { feeOf } from './transaction-fee.js';
import type { WireTransaction } from './wire-transaction.js';

type Accounts = readonly (StoredAccount | null)[];

export interface Simulation {
  readonly error: TransactionErrorJson | null;
  /** The fields of the answer that do not depend on what the caller asks for. */
  readonly answer: Readonly<Record<string, unknown>>;
  readonly innerInstructions: readonly object[];
  /** Returns an account after the transaction. */
  readonly accountAfter: (key: AccountKey) => StoredAccount | null;
  readonly keys: readonly AccountKey[];
}

/** Runs a transaction on a frozen bank, as a node does before it forwards it (Agave `simulate_transaction`). */
export function simulate(chain: SolanaChain, transaction: WireTransaction, bank: Block): Simulation {
  const read = (key: AccountKey): StoredAccount | null => chain.state.accountAfter(bank.slot, key);
  const accounts = accountsOf(transaction, read);
  const keys = accounts?.keys ?? transaction.keys;
  const ageError = chain.checkAge(transaction, bank);
  if (ageError !== null) {
    const answer = { ...EMPTY_ANSWER, err: ageError, logs: [] };
    return { error: ageError, answer, innerInstructions: [], accountAfter: read, keys };
  }
  chain.provideSlotHashes(transaction, bank);
  const before = keys.map(read);
  const tables = transaction.lookups.map(({ table }) => table);
  const { result, after } = chain.state.simulate(transaction, bank, [...keys, ...tables]);
  const error = errorOf(result);
  const meta = metaOf('err' in result ? result.meta() : result);
  const accountAfter = (key: AccountKey): StoredAccount | null => after.get(key) ?? read(key);
  const answer = {
    ...EMPTY_ANSWER,
    err: error,
    fee: feeOf(transaction),
    loadedAccountsDataSize: loadedBytesOf(transaction, keys, read),
    loadedAddresses: {
      readonly: (accounts?.loadedReadonly ?? []).map(addressOf),
      writable: (accounts?.loadedWritable ?? []).map(addressOf),
    },
    logs: meta.logs,
    returnData: returnDataAnswer(meta),
    unitsConsumed: meta.unitsConsumed,
    ...(error === null && balancesAnswer(chain, before, keys.map(accountAfter))),
  };
  return { error, answer, innerInstructions: innerAnswer(meta, keys, true), accountAfter, keys };
}

const EMPTY_ANSWER = {
  accounts: null,
  fee: null,
  innerInstructions: null,
  loadedAccountsDataSize: 0,
  loadedAddresses: null,
  postBalances: null,
  postTokenBalances: null,
  preBalances: null,
  preTokenBalances: null,
  replacementBlockhash: null,
  returnData: null,
  unitsConsumed: 0,
};

function balancesAnswer({ state }: SolanaChain, before: Accounts, after: Accounts): object {
  const lamports = (accounts: Accounts): bigint[] => accounts.map((account) => account?.lamports ?? 0n);
  return {
    preBalances: lamports(before),
    postBalances: lamports(after),
    preTokenBalances: tokenBalancesAnswer(tokenBalancesOf(state, before)),
    postTokenBalances: tokenBalancesAnswer(tokenBalancesOf(state, after)),
  };
}
