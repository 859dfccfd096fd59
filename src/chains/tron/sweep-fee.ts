import { NATIVE_COIN } from '../../domain/network.js';
import type { LentCost, OwnCost } from '../expiring-sweeps.js';
import type { TronConditions, TronStake } from './payment-conditions.js';
import { stakeFor } from './stake.js';
import {
  BYTES_OF_COIN_PAYMENT,
  BYTES_OF_TOKEN_PAYMENT,
  ENERGY_UNKNOWN,
  expectedBurn,
  FEE_LIMIT_MAX,
  HEADROOM,
  highestBurn,
} from './payment-fee.js';

/** The energy was measured just before, so only its penalty may rise: by a fifth within a cycle of six hours. */
const ENERGY_HEADROOM_PERCENT = 120n;
const PERCENT = 100n;

/** What the sweep of an address that was never activated is expected to cost, with its funding, in sun. */
export function expectedSweepCost(at: TronConditions): bigint {
  const { held } = ENERGY_UNKNOWN;
  return expectedBurn(NATIVE_COIN, true, at) + held * at.energyPrice + BYTES_OF_TOKEN_PAYMENT * at.bytePrice;
}

/** The most sun that a sweep and its funding cost. */
export function highestSweepCost(at: TronConditions): bigint {
  const dearest = [...Object.values(at.energy), ENERGY_UNKNOWN].reduce(
    (most, { fresh }) => (fresh > most ? fresh : most),
    0n,
  );
  const energy = HEADROOM * dearest * at.energyPrice;
  return (
    (energy < FEE_LIMIT_MAX ? energy : FEE_LIMIT_MAX) +
    bandwidthMax(BYTES_OF_TOKEN_PAYMENT, at) +
    highestBurn(NATIVE_COIN, at)
  );
}

/** What an address pays for a sweep of a token that used this much energy when it was tried. */
export function tokenSweepCost(energy: bigint, at: TronConditions): Omit<OwnCost, 'lent'> {
  const limit = withHeadroom(energy);
  return {
    most: limit * at.energyPrice + bandwidthMax(BYTES_OF_TOKEN_PAYMENT, at),
    now: energy * at.energyPrice + BYTES_OF_TOKEN_PAYMENT * at.bytePrice,
  };
}

/**
 * What a sweep of a token needs whose energy is lent. Its limit is twice what the energy costs, so that a higher price of
 * energy stops none: the chain judges also lent energy by the limit, and there are no coins that it could burn.
 * @param freeBandwidth null for an address that was never activated: one sun activates it
 */
export function lentSweepCost(
  energy: bigint,
  freeBandwidth: bigint | null,
  stake: TronStake,
  at: TronConditions,
): LentCost {
  const bandwidth = bandwidthMax(BYTES_OF_TOKEN_PAYMENT, at);
  const isFree = (freeBandwidth ?? stake.freeBandwidth) >= BYTES_OF_TOKEN_PAYMENT;
  const forBytes = isFree ? 0n : bandwidth;
  return {
    stake: stakeFor(withHeadroom(energy), stake),
    coins: freeBandwidth === null && isFree ? 1n : forBytes,
    most: HEADROOM * energy * at.energyPrice + bandwidth,
  };
}

/** What an address pays for a sweep of its coins: nothing while it has bandwidth of its own. */
export function coinSweepCost(freeBandwidth: bigint, at: TronConditions): Omit<OwnCost, 'lent'> {
  return {
    most: bandwidthMax(BYTES_OF_COIN_PAYMENT, at),
    now: freeBandwidth >= BYTES_OF_COIN_PAYMENT ? 0n : BYTES_OF_COIN_PAYMENT * at.bytePrice,
  };
}

/**
 * Returns the most sun for energy within what a sweep may cost.
 * @throws RangeError when nothing is left beside the bandwidth
 */
export function feeLimitWithin(costMax: bigint, token: string, at: TronConditions): bigint {
  if (token === NATIVE_COIN) return 0n;
  const limit = costMax - bandwidthMax(BYTES_OF_TOKEN_PAYMENT, at);
  if (limit <= 0n) throw new RangeError('The funds of the address do not pay for any energy.');
  return limit < FEE_LIMIT_MAX ? limit : FEE_LIMIT_MAX;
}

const withHeadroom = (energy: bigint): bigint => (energy * ENERGY_HEADROOM_PERCENT) / PERCENT;

const bandwidthMax = (bytes: bigint, { bytePrice }: TronConditions): bigint => HEADROOM * bytes * bytePrice;
