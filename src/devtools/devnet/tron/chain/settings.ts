import { z } from 'zod';
import { CHAIN_PARAMETERS, isChainParameter, type ChainParameters } from './chain-parameters.js';

/** What a test changes about the chain and its node; every change is in the journal. */
export const SETTINGS_CHANGE = z
  .object({
    /** Ms that the chain's clock is ahead of the machine's. */
    clockAheadMs: z.number().int(),
    isPaused: z.boolean(),
    solidityDistance: z.number().int().min(0).max(1_000),
    /** `flapping`: every second answer has them. */
    internalTransactions: z.enum(['on', 'off', 'flapping']),
    isEstimateEnergyOn: z.boolean(),
    /** Chain parameters by the keys of `getchainparameters`. */
    parameters: z.record(z.string(), z.number().int().min(0)),
    /** Ten-thousandths that calls to a contract cost on top, by its address key. */
    energyFactors: z.record(z.string(), z.number().int().min(0)),
  })
  .partial()
  .strict();

export type SettingsChange = z.infer<typeof SETTINGS_CHANGE>;

export interface ChainSettings {
  readonly clockAheadMs: number;
  readonly isPaused: boolean;
  readonly solidityDistance: number;
  readonly internalTransactions: 'on' | 'off' | 'flapping';
  readonly isEstimateEnergyOn: boolean;
  readonly parameters: ChainParameters;
  readonly energyFactors: Readonly<Record<string, bigint>>;
  /** Former and present prices as `time:price`, from the genesis on. */
  readonly energyPrices: readonly string[];
  readonly bandwidthPrices: readonly string[];
}

export function firstSettings(solidityDistance: number): ChainSettings {
  return {
    clockAheadMs: 0,
    isPaused: false,
    solidityDistance,
    internalTransactions: 'on',
    isEstimateEnergyOn: true,
    parameters: CHAIN_PARAMETERS,
    energyFactors: {},
    energyPrices: [`0:${CHAIN_PARAMETERS.getEnergyFee}`],
    bandwidthPrices: [`0:${CHAIN_PARAMETERS.getTransactionFee}`],
  };
}

/** Returns the changed settings; `now` is when new prices begin. @throws Error for an unknown parameter. */
export function changedSettings(before: ChainSettings, change: SettingsChange, now: number): ChainSettings {
  const { parameters: newParameters = {}, energyFactors: newFactors = {}, ...rest } = change;
  const unknown = Object.keys(newParameters).filter((name) => !isChainParameter(name));
  if (unknown.length > 0) throw new Error(`There is no chain parameter ${unknown.join(', ')}.`);
  const parameters = { ...before.parameters, ...bigints(newParameters) };
  const withPrice = (prices: readonly string[], old: bigint, price: bigint): readonly string[] =>
    old === price ? prices : [...prices, `${now}:${price}`];
  return {
    ...before,
    ...rest,
    parameters,
    energyFactors: { ...before.energyFactors, ...bigints(newFactors) },
    energyPrices: withPrice(before.energyPrices, before.parameters.getEnergyFee, parameters.getEnergyFee),
    bandwidthPrices: withPrice(
      before.bandwidthPrices,
      before.parameters.getTransactionFee,
      parameters.getTransactionFee,
    ),
  };
}

const bigints = (numbers: Readonly<Record<string, number>>): Record<string, bigint> =>
  Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, BigInt(value)]));
