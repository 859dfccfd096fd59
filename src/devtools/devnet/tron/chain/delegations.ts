import type { UsableResource } from './account.js';
import type { ChainState } from './chain-state.js';
import { delegationKey } from './delegation.js';

/** Adds to a delegation, or takes away; one without amounts is removed. */
export function changeDelegation(
  state: ChainState,
  { from, to, isLocked }: { readonly from: string; readonly to: string; readonly isLocked: boolean },
  resource: UsableResource,
  change: bigint,
  expiresAt: number,
): void {
  const key = delegationKey(from, to, isLocked);
  const before = state.delegations.get(key) ?? {
    from,
    to,
    amounts: { BANDWIDTH: 0n, ENERGY: 0n },
    expiresAt: { BANDWIDTH: 0, ENERGY: 0 },
  };
  const amounts = { ...before.amounts, [resource]: before.amounts[resource] + change };
  const isEmpty = amounts.BANDWIDTH === 0n && amounts.ENERGY === 0n;
  const after = { ...before, amounts, expiresAt: { ...before.expiresAt, [resource]: expiresAt } };
  state.delegations.set(key, isEmpty ? null : after);
}

/** Moves what is no longer locked to the free delegation. Source: DelegatedResourceStore.unLockExpireResource. */
export function unlockExpired(state: ChainState, from: string, to: string, now: number): void {
  const locked = state.delegations.get(delegationKey(from, to, true));
  if (locked === null) return;
  for (const resource of ['BANDWIDTH', 'ENERGY'] as const) {
    const amount = locked.amounts[resource];
    if (amount === 0n || locked.expiresAt[resource] >= now) continue;
    changeDelegation(state, { from, to, isLocked: true }, resource, -amount, 0);
    changeDelegation(state, { from, to, isLocked: false }, resource, amount, 0);
  }
}
