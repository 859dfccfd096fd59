import type { ExpiringOutcome } from '../expiring.js';
import { accountOf } from './account.js';
import type { CallOutcome } from './constant-call.js';
import { coinsOf } from './solid-balances.js';
import { TokenCalls } from './token-calls.js';
import type { TronHttp } from './tron-http.js';
import type { TronAction, UnsignedTronTransaction } from './unsigned-transaction.js';

const CONTRACT = 'Contract';

type Http = Pick<TronHttp, 'ask'>;

/**
 * Executes a payment on the state of the newest block without sending it. Null where that says nothing about the destination:
 * the payer has too little, or the token's issuer has frozen it.
 */
export async function simulatedOutcome(
  http: Http,
  { owner, action }: UnsignedTronTransaction,
): Promise<ExpiringOutcome | null> {
  if (action.kind === 'coin') return coinOutcome(http, owner, action);
  return action.kind === 'token' ? tokenOutcome(http, owner, action) : null;
}

/** The chain refuses coins for a contract. */
async function coinOutcome(
  http: Http,
  owner: string,
  { to, amount }: Extract<TronAction, { readonly kind: 'coin' }>,
): Promise<ExpiringOutcome | null> {
  const recipient = await accountOf(http, 'wallet', to);
  if (recipient?.type === CONTRACT) return 'rejects';
  return (await coinsOf(http, 'wallet', owner)) < amount ? null : 'accepts';
}

async function tokenOutcome(
  http: Http,
  owner: string,
  { token, to, amount }: Extract<TronAction, { readonly kind: 'token' }>,
): Promise<ExpiringOutcome | null> {
  const calls = new TokenCalls(http, 'wallet');
  const outcome: CallOutcome = await calls.transfer({ token, from: owner, to, amount });
  if (outcome.kind === 'no_contract') return null;
  // USDT pays also an address that its issuer has frozen, which can never pay it on.
  if (outcome.kind === 'returned') return (await calls.isFrozen(token, to)) ? 'rejects' : 'accepts';
  if ((await calls.balanceOf(token, owner)) < amount || (await calls.isFrozen(token, owner))) return null;
  return outcome.kind === 'reverted' ? 'rejects' : null;
}
