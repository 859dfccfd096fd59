import type { SentAction } from '../../chains/expiring-sent.js';
import type { FinalTransaction } from '../../chains/expiring.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { TokenAmounts } from './token-amounts.js';

/** Describes in one sentence what signed bytes do. */
export function sentenceOf(action: SentAction, amounts: TokenAmounts): string {
  if (action.kind === 'payment') return `It sends ${amounts.text(action.token, action.amount)} to ${action.recipient}.`;
  if (action.kind === 'sweep') return `It sweeps ${action.items.length} balances to the hot wallet.`;
  if (action.kind === 'energy') {
    const of = `the energy of ${amounts.text(NATIVE_COIN, action.stake)}`;
    return action.move === 'lend'
      ? `It lends ${of} to ${action.borrower}.`
      : `It takes ${of} back from ${action.borrower}.`;
  }
  if (action.kind === 'stake') {
    if (action.move === 'withdraw') return 'It withdraws the staked coins that are due.';
    const of = amounts.text(NATIVE_COIN, action.amount);
    return action.move === 'stake' ? `It stakes ${of} for energy.` : `It takes ${of} back from the stake.`;
  }
  return 'It does nothing that a vault signs for an order.';
}

/** Lists how a transaction changed the funds of an address, such as `-1 USDC, -0.000005 SOL`; `nothing` when it did not. */
export function changesOf(
  owner: string,
  { changes }: Pick<FinalTransaction, 'changes'>,
  amounts: TokenAmounts,
): string {
  const own = changes.filter((change) => change.owner === owner);
  return own.length === 0 ? 'nothing' : own.map(({ token, units }) => amounts.text(token, units)).join(', ');
}
