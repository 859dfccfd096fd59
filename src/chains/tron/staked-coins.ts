import type { StakeState } from '../expiring-stakes.js';
import type { TronAccount } from './answer-shapes.js';

/** Sun that an account has and cannot pay with: all of them, and those whose energy is delegated. */
interface StakedCoins {
  readonly all: bigint;
  readonly lent: bigint;
}

/** Returns the sun of an account that are not in its balance; none for an address that was never activated. */
export function stakedIn(account: TronAccount | null): StakedCoins {
  if (account === null) return { all: 0n, lent: 0n };
  const { frozenV2, unfrozenV2, account_resource: resource } = account;
  const lent = BigInt(resource.delegated_frozenV2_balance_for_energy);
  const others = [
    account.delegated_frozenV2_balance_for_bandwidth,
    ...frozenV2.map(({ amount }) => amount),
    ...unfrozenV2.map(({ unfreeze_amount: amount }) => amount),
  ];
  return { all: others.reduce((sum, amount) => sum + BigInt(amount), lent), lent };
}

/** Returns what an account has staked for energy, at a time. */
export function stakeStateOf(account: TronAccount | null, at: Date): StakeState {
  const frozen = (account?.frozenV2 ?? []).filter(({ type }) => type === 'ENERGY');
  const leaving = (account?.unfrozenV2 ?? []).map((one) => ({
    amount: BigInt(one.unfreeze_amount),
    dueAt: new Date(one.unfreeze_expire_time),
  }));
  const isDue = ({ dueAt }: { readonly dueAt: Date }): boolean => dueAt <= at;
  return {
    staked: frozen.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
    lent: stakedIn(account).lent,
    leaving: leaving.filter((one) => !isDue(one)),
    due: leaving.filter(isDue).reduce((sum, { amount }) => sum + amount, 0n),
  };
}
