import type { EntityManager } from '@mikro-orm/postgresql';
import { isEvmNetwork, NATIVE_COIN, type Network } from '../../domain/network.js';
import { expectedFee, type GasPrices } from '../../domain/network-fee.js';
import { rows } from '../../platform/database/database.js';
import { findFreshSample } from './gas-prices.sql.js';

/** Older gas prices are not used. */
const FRESH_SECONDS = 120;

/** Gas prices of a chain, from the newest sample of the worker. */
export interface CurrentFees extends GasPrices {
  readonly sampleId: string;
}

/**
 * Returns the newest gas prices of a chain; null when the last two minutes have none. Joins the caller's transaction.
 */
export async function currentFees(em: EntityManager, chainRef: string): Promise<CurrentFees | null> {
  const [sample] = await rows(em, findFreshSample(chainRef, FRESH_SECONDS));
  if (sample === undefined) return null;
  return {
    sampleId: sample.id,
    baseFee: BigInt(sample.baseFee),
    tipStandard: BigInt(sample.tipStandard),
    tipFast: BigInt(sample.tipFast),
  };
}

/**
 * Returns the fee in wei that the network is expected to charge for a payment of this token now; null without fresh gas
 * prices.
 */
export async function expectedPaymentFee(
  em: EntityManager,
  { chainRef, network, token }: { readonly chainRef: string; readonly network: Network; readonly token: string },
): Promise<bigint | null> {
  const fees = isEvmNetwork(network) ? await currentFees(em, chainRef) : null;
  if (!isEvmNetwork(network) || fees === null) return null;
  return expectedFee(network, fees, { strategy: 'standard', isCoin: token === NATIVE_COIN });
}
