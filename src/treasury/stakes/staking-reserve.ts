import type { EntityManager } from '@mikro-orm/postgresql';
import type { PaymentConditions } from '../../chains/expiring.js';
import { expiringPayerOf, expiringSweeperOf } from '../../chains/registry.js';
import { type Environment, NATIVE_COIN, type Network } from '../../domain/network.js';
import { assetOf } from '../../domain/posting.js';
import { row } from '../../platform/database/database.js';
import { OPEN_SWEEPS_MAX } from '../sweeps/funding/planned-fundings.js';
import { sumOwed } from './staking-reserve.sql.js';

/** Coins that a hot wallet does not stake, in smallest units. */
export interface StakingReserve {
  /** What belongs to others and no sweep brings from deposit addresses: withdrawals may ask for it at any time. */
  readonly forPayouts: bigint;
  /** What as many sweeps cost at most as can be open at once. The fees of payouts come out of the rest. */
  readonly forFees: bigint;
}

/** Returns the coins that a stake must leave in the hot wallet of a chain. */
export async function stakingReserve(
  em: EntityManager,
  {
    chainRef,
    environment,
    network,
  }: { readonly chainRef: string; readonly environment: Environment; readonly network: Network },
  at: PaymentConditions,
): Promise<StakingReserve> {
  const sweeper = expiringSweeperOf(network);
  const asset = assetOf(network, NATIVE_COIN);
  const sweepCost = sweeper.expectedCost(at);
  const { owed, sweepable } = await row(em, sumOwed({ chainRef, environment, asset, sweepCost }));
  const unswept = BigInt(owed) - BigInt(sweepable);
  const oneSweep = sweeper.highestCost(at);
  return {
    forPayouts: unswept > 0n ? unswept : 0n,
    forFees: expiringPayerOf(network).leastCoin(at) + BigInt(OPEN_SWEEPS_MAX) * oneSweep,
  };
}
