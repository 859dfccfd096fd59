import type { EvmNetwork } from '../../domain/network.js';
import { type GasFees, gasFees, type GasPrices, OFFER_MAX } from '../../domain/network-fee.js';
import type { FeeStrategy } from '../../domain/outgoing-payment.js';

/** The gas price that a transaction offers. */
export interface GasOffer {
  readonly fees: GasFees;
  /** The most that its gas may cost, in wei. */
  readonly cost: bigint;
  /** The gas price that a sweep would offer now. */
  readonly sweeping: GasFees;
}

/** Returns the offer for this gas limit at these prices, or `fees_above_cap`. */
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
