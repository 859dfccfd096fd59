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
