import type { EntityManager } from '@mikro-orm/postgresql';
import type { Staker, StakeState } from '../../chains/expiring-stakes.js';
import type { PaymentConditions } from '../../chains/expiring.js';
import { type Environment, NATIVE_COIN, type Network } from '../../domain/network.js';
import { row } from '../../platform/database/database.js';
import { lentAbove } from '../sweeps/energy/energy-loans.sql.js';
import { spendableUnits } from '../wallets/spendable-units.js';
import type { StakeTerms } from './stake-orders.sql.js';
import { stakingReserve } from './staking-reserve.js';

/** A chain whose hot wallet stakes. */
export interface StakingPlace {
  readonly chainRef: string;
  readonly environment: Environment;
  readonly network: Network;
  readonly staker: Staker;
}

/** What the chain says, and how amounts are written. */
interface StakeFacts {
  readonly state: StakeState;
  readonly conditions: PaymentConditions;
  readonly shown: (units: bigint) => string;
}

/**
 * Returns why a change of the stake is not possible now, as sentences for the operator; null when it is. The vault and the
 * chain judge it again.
 */
export async function stakeObstacle(
  em: EntityManager,
  place: StakingPlace,
  { move, amount }: StakeTerms,
  facts: StakeFacts,
): Promise<string | null> {
  const { least } = place.staker;
  if (move !== 'withdraw' && amount < least) return `The chain stakes ${facts.shown(least)} at least.`;
  if (move === 'stake') return stakingObstacle(em, place, amount, facts);
  return move === 'unstake' ? unstakingObstacle(em, place, amount, facts) : withdrawalObstacle(facts);
}

async function stakingObstacle(
  em: EntityManager,
  place: StakingPlace,
  amount: bigint,
  { conditions, shown }: StakeFacts,
): Promise<string | null> {
  const spendable = await spendableUnits(em, place.chainRef, NATIVE_COIN);
  if (spendable === null) return 'The balance of the hot wallet is not known yet: a worker reads it.';
  const { forPayouts, forFees } = await stakingReserve(em, place, conditions);
  const owner = { kind: 'stake', owner: '', amount } as const;
  const { costMax } = place.staker.plan(owner, 0, conditions);
  const most = spendable - forPayouts - forFees - costMax;
  if (amount <= most) return null;
  const needs = `it keeps ${shown(forFees)} for the fees of sweeps and ${shown(forPayouts)} that it owes`;
  const can = most < place.staker.least ? 'Nothing can be staked' : `At most ${shown(most)} can be staked`;
  return `${can}: the hot wallet can spend ${shown(spendable)}, and of these ${needs}.`;
}

async function unstakingObstacle(
  em: EntityManager,
  { chainRef, staker }: StakingPlace,
  amount: bigint,
  { state: { staked, lent, leaving }, shown }: StakeFacts,
): Promise<string | null> {
  if (leaving.length >= staker.leavingMax) {
    return `The chain allows ${staker.leavingMax} stakes on their way back at once: wait until one of them is due.`;
  }
  const { stake } = await row(em, lentAbove(chainRef, { above: Number.MAX_SAFE_INTEGER, withUnsigned: true }));
  const free = staked - BigInt(stake);
  if (amount <= free) return null;
  const most = free < staker.least ? 'Nothing can be taken back' : `At most ${shown(free)} can be taken back`;
  const away = lent + BigInt(stake);
  return `${most} now: ${shown(staked)} are staked and not lent, and ${shown(away)} are lent to sweeps or about to be.`;
}

function withdrawalObstacle({ state: { due, leaving }, shown }: StakeFacts): string | null {
  if (due > 0n) return null;
  const [next] = leaving.toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime());
  if (next === undefined) return 'Nothing is on its way back from the stake.';
  return `Nothing is due yet: ${shown(next.amount)} are at ${next.dueAt.toISOString()}.`;
}
