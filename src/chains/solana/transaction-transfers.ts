import { NATIVE_COIN } from '../../domain/network.js';
import type { AccountTransfer } from '../accounts.js';
import { ChainUnavailable } from '../chain.js';
import { TOKEN_PROGRAM } from './programs.js';
import type { TransactionAnswer } from './rpc-shapes.js';

/** What a transaction changed on one account, in smallest units. */
interface Change {
  readonly accountIndex: number;
  readonly units: bigint;
  /** The address that owned the account before or after; undefined where the node does not say. */
  readonly owner: string | undefined;
}

/**
 * Returns the transfers of a transaction: what each account holds more of a token, or of the coin, after it than before.
 * Amounts come from balances alone, so it does not matter which program moved the funds, nor how. A failed transaction
 * transfers nothing.
 */
export function transfersOf(answer: TransactionAnswer, tokens: readonly string[]): readonly AccountTransfer[] {
  if (answer.meta.err !== null) return [];
  const accounts = accountsOf(answer);
  const ofTokens = tokens.flatMap((token) => received(token, tokenChanges(answer, token), accounts));
  return [...ofTokens, ...received(NATIVE_COIN, coinChanges(answer, accounts), accounts)];
}

/** Returns the accounts of a transaction in the order of their indexes: its own, then those of lookup tables. */
function accountsOf({ transaction, meta }: TransactionAnswer): readonly string[] {
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  return [...transaction.message.accountKeys, ...writable, ...readonly];
}

function received(token: string, changes: readonly Change[], accounts: readonly string[]): readonly AccountTransfer[] {
  const senders = sendersIn(changes);
  return changes
    .filter(({ units }) => units > 0n)
    .map(({ accountIndex, units }) => {
      const account = accounts[accountIndex];
      if (account === undefined) throw new ChainUnavailable('A transaction has balances of an account that it lacks.');
      return { account, position: accountIndex, token, amount: units, senders };
    });
}

/** Returns the owners that have less than before over all their accounts, the largest loss first. */
function sendersIn(changes: readonly Change[]): readonly string[] {
  const byOwner = new Map<string, bigint>();
  for (const { owner, units } of changes) {
    if (owner !== undefined) byOwner.set(owner, (byOwner.get(owner) ?? 0n) + units);
  }
  const losses = [...byOwner].filter(([, units]) => units < 0n);
  return losses.toSorted(([, a], [, b]) => (a < b ? -1 : 1)).map(([owner]) => owner);
}

function tokenChanges({ meta }: TransactionAnswer, token: string): readonly Change[] {
  const changes = new Map<number, Change>();
  const add = (balances: typeof meta.postTokenBalances, sign: bigint): void => {
    for (const { accountIndex, mint, programId = TOKEN_PROGRAM, owner, uiTokenAmount } of balances ?? []) {
      if (mint !== token || programId !== TOKEN_PROGRAM) continue;
      const before = changes.get(accountIndex);
      const units = (before?.units ?? 0n) + sign * BigInt(uiTokenAmount.amount);
      changes.set(accountIndex, { accountIndex, units, owner: owner ?? before?.owner });
    }
  };
  // An account that was created in the transaction has no balance before, and a closed one none after it.
  add(meta.preTokenBalances, -1n);
  add(meta.postTokenBalances, 1n);
  return [...changes.values()];
}

function coinChanges({ meta }: TransactionAnswer, accounts: readonly string[]): readonly Change[] {
  const { preBalances, postBalances, fee } = meta;
  if (preBalances.length !== postBalances.length) {
    throw new ChainUnavailable('A transaction has not as many balances after it as before.');
  }
  return postBalances.flatMap((after, accountIndex): Change[] => {
    const before = preBalances[accountIndex] ?? 0;
    const change = after - before;
    if (change > 0) {
      // Above 2^53 lamports a number is not exact. Such an amount is left unexplained instead of credited wrongly.
      const isExact = Number.isSafeInteger(after) && Number.isSafeInteger(before);
      return isExact ? [{ accountIndex, units: BigInt(change), owner: accounts[accountIndex] }] : [];
    }
    // The fee is no transfer: an account that only paid for the transaction is no sender.
    const loss = Math.min(0, change + (accountIndex === 0 ? fee : 0));
    return [{ accountIndex, units: BigInt(loss), owner: accounts[accountIndex] }];
  });
}
