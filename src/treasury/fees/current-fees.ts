import type { EntityManager } from '@mikro-orm/postgresql';
import { expiringPayerOf } from '../../chains/registry.js';
import { isEvmNetwork, NATIVE_COIN, type Network } from '../../domain/network.js';
import { expectedFee, type GasPrices } from '../../domain/network-fee.js';
import type { FeeStrategy } from '../../domain/outgoing-payment.js';
import { rows } from '../../platform/database/database.js';
import { currentConditions } from '../expiring/payment-conditions.js';
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

/** A payment whose fee is asked for. */
export interface PricedPayment {
  readonly chainRef: string;
  readonly network: Network;
  /** Key of the contract, or `NATIVE_COIN`. */
  readonly token: string;
  readonly strategy: FeeStrategy;
  /** As `ExpiringPayer.expectedCost`. */
  readonly opensAccount: boolean | null;
}

/** The expected fee of a payment, and the sample that it comes from. */
export interface ExpectedFee {
  /** Smallest units of the chain's coin. */
  readonly fee: bigint;
  readonly sampleId: string;
}

/**
 * Returns the fee that a payment is expected to cost now; null without fees of the last two minutes. `token_changed`: nothing
 * can be paid in the token.
 */
export async function expectedFeeOf(
  em: EntityManager,
  { chainRef, network, token, strategy, opensAccount }: PricedPayment,
): Promise<ExpectedFee | 'token_changed' | null> {
  if (isEvmNetwork(network)) {
    const fees = await currentFees(em, chainRef);
    if (fees === null) return null;
    return {
      fee: expectedFee(network, fees, { strategy, isCoin: token === NATIVE_COIN }),
      sampleId: fees.sampleId,
    };
  }
  const current = await currentConditions(em, chainRef, FRESH_SECONDS);
  if (current === null) return null;
  const payer = expiringPayerOf(network);
  if (!payer.paysWhole(token, current.details)) return 'token_changed';
  const fee = payer.expectedCost(token, strategy, opensAccount, current.details);
  return { fee, sampleId: current.sampleId };
}
