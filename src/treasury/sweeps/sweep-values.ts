import { type Environment, NATIVE_COIN } from '../../domain/network.js';
import { valueInCoin } from '../../domain/sweep-plan.js';
import type { PricingService } from '../../pricing/pricing.service.js';
import type { CandidateRow } from './sweep-due.js';

/** Prices by symbol, of environments whose newest snapshot is fresh. */
export type FreshPrices = ReadonlyMap<Environment, ReadonlyMap<string, string | null>>;

/** Returns the prices of environments whose newest snapshot is fresh. */
export async function freshPrices(pricing: PricingService): Promise<FreshPrices> {
  const states = await pricing.states();
  return new Map(states.filter(({ isFresh }) => isFresh).map(({ environment, prices }) => [environment, prices]));
}

/** Returns the value of a balance in the smallest units of the chain's coin; null without prices. */
export function coinValueOf(row: CandidateRow, fresh: FreshPrices): bigint | null {
  const units = BigInt(row.units);
  if (row.token === NATIVE_COIN) return units;
  const { symbol, decimals, coinSymbol, coinDecimals } = row;
  const prices = fresh.get(row.environment);
  const [token, coin] = [prices?.get(symbol) ?? null, prices?.get(coinSymbol ?? '') ?? null];
  if (token === null || coin === null || coinDecimals === null) return null;
  return valueInCoin(units, { decimals, price: token }, { decimals: coinDecimals, price: coin });
}
