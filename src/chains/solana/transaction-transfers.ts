import { NATIVE_COIN } from '../../domain/network.js';
import type { AccountTransfer } from '../accounts.js';
import { TOKEN_PROGRAM } from './programs.js';
import type { TransactionAnswer } from './rpc-shapes.js';

/** What a transaction changed on one account, in smallest units. */
interface Change {
  readonly accountIndex: number;
  readonly units: bigint;
  /** Of the account, after the transaction. */
  readonly owner: string | null;
}

/** What accounts and owners have more or less than before. */
interface Changes {
  readonly accounts: readonly Change[];
  readonly owners: ReadonlyMap<string, bigint>;
}

/**
 * Returns the transfers of a transaction: what each account holds more of a token, or of the coin, after it than before.
 * Amounts come from balances alone, so it does not matter which program moved the funds, nor how. A failed transaction
 * transfers nothing. Returns null when the balances do not fit the accounts.
 */
export function transfersOf(answer: TransactionAnswer, tokens: readonly string[]): readonly AccountTransfer[] | null {
  if (answer.meta.err !== null) return [];
  const accounts = accountsOf(answer);
  if (!fits(answer, accounts)) return null;
  const ofTokens = tokens.flatMap((token) => received(token, tokenChanges(answer, token), accounts));
  return [...ofTokens, ...received(NATIVE_COIN, coinChanges(answer, accounts), accounts)];
}

/** Returns the accounts of a transaction in the order of their indexes: its own, then those of lookup tables. */
function accountsOf({ transaction, meta }: TransactionAnswer): readonly string[] {
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  return [...transaction.message.accountKeys, ...writable, ...readonly];
}

function fits({ meta }: TransactionAnswer, accounts: readonly string[]): boolean {
  const { preBalances, postBalances, preTokenBalances, postTokenBalances } = meta;
  const ofTokens = [...(preTokenBalances ?? []), ...(postTokenBalances ?? [])];
  const areThere = ofTokens.every(({ accountIndex }) => accountIndex < accounts.length);
  return areThere && preBalances.length === accounts.length && postBalances.length === accounts.length;
}

function received(token: string, changes: Changes, accounts: readonly string[]): readonly AccountTransfer[] {
  const losses = [...changes.owners].filter(([, units]) => units < 0n);
  const senders = losses.toSorted(([, a], [, b]) => (a < b ? -1 : 1)).map(([owner]) => owner);
  return changes.accounts
    .filter(({ units }) => units > 0n)
    .map(({ accountIndex, units, owner }) => {
      return { account: accounts[accountIndex] ?? '', owner, position: accountIndex, token, amount: units, senders };
    });
}

/**
 * An account may change hands in the transaction: what it held before counts for its owner of then, and its new owner receives
 * all that it holds afterwards.
 */
function tokenChanges({ meta }: TransactionAnswer, token: string): Changes {
  const accounts = new Map<number, bigint>();
  const owners = new Map<string, bigint>();
  const ownerAfter = new Map(meta.postTokenBalances?.map(({ accountIndex, owner }) => [accountIndex, owner]));
  const add = (balances: typeof meta.postTokenBalances, sign: bigint): void => {
    for (const { accountIndex, mint, programId = TOKEN_PROGRAM, owner, uiTokenAmount } of balances ?? []) {
      if (mint !== token || programId !== TOKEN_PROGRAM) continue;
      const units = sign * BigInt(uiTokenAmount.amount);
      const changedHands = owner !== undefined && (ownerAfter.get(accountIndex) ?? owner) !== owner;
      if (!changedHands) accounts.set(accountIndex, (accounts.get(accountIndex) ?? 0n) + units);
      if (owner !== undefined) owners.set(owner, (owners.get(owner) ?? 0n) + units);
    }
  };
  // An account that was created in the transaction has no balance before, and a closed one none after it.
  add(meta.preTokenBalances, -1n);
  add(meta.postTokenBalances, 1n);
  const changes = [...accounts].map(([accountIndex, units]) => {
    return { accountIndex, units, owner: ownerAfter.get(accountIndex) ?? null };
  });
  return { accounts: changes, owners };
}

/** The coins of a token account, such as those of wrapped SOL that is closed, are its owner's. */
function coinChanges({ meta }: TransactionAnswer, keys: readonly string[]): Changes {
  const { preBalances, postBalances, preTokenBalances, postTokenBalances, fee } = meta;
  const holders = [...(postTokenBalances ?? []), ...(preTokenBalances ?? [])];
  const ownerAt = new Map(holders.map(({ accountIndex, owner }) => [accountIndex, owner]));
  const owners = new Map<string, bigint>();
  const accounts = postBalances.flatMap((after, accountIndex): Change[] => {
    const before = preBalances[accountIndex] ?? 0n;
    // The fee is no transfer: an account that only paid for the transaction is no sender.
    const moved = after - before + (accountIndex === 0 ? fee : 0n);
    const owner = ownerAt.get(accountIndex) ?? keys[accountIndex] ?? '';
    owners.set(owner, (owners.get(owner) ?? 0n) + moved);
    return after > before ? [{ accountIndex, units: after - before, owner }] : [];
  });
  return { accounts, owners };
}
