import { createHash, type Hash } from 'node:crypto';
import type { FailedTransactionMetadata, TransactionMetadata } from 'litesvm/dist/internal.js';
import { bytesOf, hexOf, type AccountKey } from './account-key.js';
import { accountsOf, isWritable } from './account-keys.js';
import type { StoredAccount } from './account-versions.js';
import type { ChainState, SlotView } from './chain-state.js';
import type { InnerInstruction, Outcome, ReturnData, TokenBalance } from './executed-transaction.js';
import { TOKEN_PROGRAMS } from './programs.js';
import { readTokenAccount } from './token-layout.js';
import { errorJson, type TransactionErrorJson } from './transaction-error.js';
import type { WireTransaction } from './wire-transaction.js';

/** What a block keeps of a transaction: its outcome, and the digest of all that it has left behind. */
export interface Execution {
  readonly outcome: Outcome;
  readonly digest: string;
}

/** Why a leader leaves a transaction out of its block: it pays no fee. */
export interface Refusal {
  readonly refusal: TransactionErrorJson;
}

type Accounts = readonly (StoredAccount | null)[];

/** Runs a transaction in a slot, and compares all of its accounts before and after. */
export function execute(state: ChainState, transaction: WireTransaction, view: SlotView): Execution | Refusal {
  state.enter(view);
  const accounts = accountsOf(transaction, (key) => state.account(key));
  const keys = accounts?.keys ?? transaction.keys;
  const canChange = keys.map((_key, index) => accounts !== null && isWritable(transaction, accounts, index));
  const programs = programsOf(transaction);
  // Programs cannot change, and reading one copies its code.
  const before = keys.map((key, index) => (programs.has(index) && !canChange[index] ? null : state.account(key)));
  const balancesBefore = balancesOf(state, keys, before);
  const result = state.run(transaction);
  const error = 'err' in result ? errorJson(result.err()) : null;
  const after = keys.map((key, index) => (canChange[index] ? state.account(key) : (before[index] ?? null)));
  const balancesAfter = balancesOf(state, keys, after);
  const fee = sumOf(balancesBefore) - sumOf(balancesAfter);
  // A failed transaction that is in a block has paid its fee, and nothing else leaves the accounts of a transaction.
  if (error !== null && fee === 0n) return { refusal: error };
  if (accounts === null) throw new Error(`The transaction ${transaction.signature} ran with unknown accounts.`);
  for (const [index, key] of keys.entries()) {
    if (canChange[index]) state.noteChange(view.slot, key, before[index] ?? null, after[index] ?? null);
  }
  const outcome: Outcome = {
    ...metaOf('err' in result ? result.meta() : result),
    error,
    fee,
    before: balancesBefore,
    after: balancesAfter,
    tokensBefore: tokenBalancesOf(state, before),
    tokensAfter: tokenBalancesOf(state, after),
    loadedWritable: accounts.loadedWritable,
    loadedReadonly: accounts.loadedReadonly,
  };
  const changed = after.filter((_account, index) => canChange[index]);
  return { outcome, digest: digestOf(transaction, outcome, changed) };
}

/** Returns the token accounts among the accounts of a transaction, as answers list them. */
export function tokenBalancesOf(state: ChainState, accounts: Accounts): TokenBalance[] {
  return accounts.flatMap((account, accountIndex) => {
    if (account === null || !TOKEN_PROGRAMS.has(account.owner)) return [];
    const token = readTokenAccount(account.data);
    const decimals = token === null ? null : state.decimalsOf(token.mint);
    if (token === null || decimals === null) return [];
    const { mint, owner, amount } = token;
    return [{ accountIndex, mint, owner, program: account.owner, amount, decimals }];
  });
}

/** Returns what the virtual machine reports of a run. */
export function metaOf(meta: TransactionMetadata): Pick<Outcome, 'inner' | 'logs' | 'unitsConsumed' | 'returnData'> {
  return {
    inner: meta.innerInstructions().flatMap((calls, index) => (calls.length === 0 ? [] : [[index, calls.map(callOf)]])),
    logs: meta.logs(),
    unitsConsumed: Number(meta.computeUnitsConsumed()),
    returnData: returnDataOf(meta),
  };
}

/** Returns the error of a run, or null. */
export function errorOf(result: TransactionMetadata | FailedTransactionMetadata): TransactionErrorJson | null {
  return 'err' in result ? errorJson(result.err()) : null;
}

const callOf = (call: ReturnType<TransactionMetadata['innerInstructions']>[number][number]): InnerInstruction => {
  const instruction = call.instruction();
  return {
    programIndex: instruction.programIdIndex(),
    accounts: instruction.accounts(),
    data: instruction.data(),
    stackHeight: call.stackHeight(),
  };
};

function returnDataOf(meta: TransactionMetadata): ReturnData | null {
  const returned = meta.returnData();
  const data = returned.data();
  return data.length === 0 ? null : { program: hexOf(returned.programId()), data };
}

const programsOf = ({ instructions }: WireTransaction): ReadonlySet<number> =>
  new Set(instructions.map(({ programIndex }) => programIndex));

const balancesOf = (state: ChainState, keys: readonly AccountKey[], accounts: Accounts): bigint[] =>
  keys.map((key, index) => accounts[index]?.lamports ?? state.lamports(key));

const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);

function digestOf(transaction: WireTransaction, outcome: Outcome, changed: Accounts): string {
  const hash = createHash('sha256').update(bytesOf(transaction.signature));
  hash.update(JSON.stringify([outcome.error, outcome.fee.toString(), outcome.after.map(String), outcome.logs]));
  for (const account of changed) addAccount(hash, account);
  return hash.digest('hex');
}

function addAccount(hash: Hash, account: StoredAccount | null): void {
  if (account === null) hash.update('none');
  else hash.update(bytesOf(account.owner)).update(account.data);
}
