import { NATIVE_COIN } from '../../domain/network.js';
import type { OwnCost } from '../expiring-sweeps.js';
import type { TronConditions } from './payment-conditions.js';
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
export function tokenSweepCost(energy: bigint, at: TronConditions): OwnCost {
  const limit = (energy * ENERGY_HEADROOM_PERCENT) / PERCENT;
  return {
    most: limit * at.energyPrice + bandwidthMax(BYTES_OF_TOKEN_PAYMENT, at),
    now: energy * at.energyPrice + BYTES_OF_TOKEN_PAYMENT * at.bytePrice,
  };
}

/** What an address pays for a sweep of its coins: nothing while it has bandwidth of its own. */
export function coinSweepCost(freeBandwidth: bigint, at: TronConditions): OwnCost {
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

const bandwidthMax = (bytes: bigint, { bytePrice }: TronConditions): bigint => HEADROOM * bytes * bytePrice;
