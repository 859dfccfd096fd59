import type { TronAccount } from './account.js';
import type { ChainState } from './chain-state.js';
import { Refusal } from './refusal.js';

/** Returns an account that a check has found before. */
export function accountOf(state: ChainState, address: string): TronAccount {
  const account = state.accounts.get(address);
  if (account === null) throw new Error(`The account ${address} does not exist.`);
  return account;
}

/** Stores a changed copy of an account and returns it. */
export function updateAccount(state: ChainState, address: string, changes: Partial<TronAccount>): TronAccount {
  const account = { ...accountOf(state, address), ...changes };
  state.accounts.set(address, account);
  return account;
}

/**
 * Adds sun to a balance, or takes it away. Source: Commons.adjustBalance.
 * @throws Refusal when the balance would be negative; `kind` says what for.
 */
export function adjustBalance(state: ChainState, address: string, change: bigint, kind: Refusal['kind']): void {
  const balance = accountOf(state, address).balance + change;
  if (balance < 0n) throw new Refusal(kind, `${address} insufficient balance`);
  updateAccount(state, address, { balance });
}
