import type { EvmNetwork } from '../../domain/network.js';
import { type GasFees, gasFees, type GasPrices, OFFER_MAX } from '../../domain/network-fee.js';
import type { FeeStrategy } from '../../domain/withdrawal.js';

/** What a transaction offers for its gas. */
export interface GasOffer {
  readonly fees: GasFees;
  /** What its gas may cost in all, in wei. */
  readonly cost: bigint;
  /** What a sweep would offer now. */
  readonly sweeping: GasFees;
}

/** The offer for so much gas at these prices, or that it would be above a cap. */
export function gasOffer(
  network: EvmNetwork,
  prices: GasPrices,
  { strategy, gasLimit }: { readonly strategy: FeeStrategy; readonly gasLimit: bigint },
): GasOffer | 'fees_above_cap' {
  const fees = gasFees(network, prices, strategy);
  if (fees === null) return 'fees_above_cap';
  const cost = gasLimit * fees.maxFeePerGas;
  if (cost > OFFER_MAX) return 'fees_above_cap';
  return { fees, cost, sweeping: gasFees(network, prices, 'standard') ?? fees };
}
