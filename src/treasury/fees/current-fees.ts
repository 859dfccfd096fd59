import { isEvmNetwork, NATIVE_COIN, type Network } from '../../domain/network.js';
import { expectedFee, type GasPrices } from '../../domain/network-fee.js';
import { type Tx, sql } from '../../platform/database/database.js';

/** Older gas prices are not used. */
const FRESH_SECONDS = 120;

/** Gas prices of a chain, from the newest sample of the worker. */
export interface CurrentFees extends GasPrices {
  readonly sampleId: string;
}

/**
 * Returns the newest gas prices of a chain; null when the last two minutes have none. Joins the caller's transaction.
 */
export async function currentFees(tx: Tx, chainRef: string): Promise<CurrentFees | null> {
  const [sample] = await sql<{ id: string; base_fee: string; tip_standard: string; tip_fast: string }>(
    tx,
    `select id, base_fee, tip_standard, tip_fast
       from (select * from fee_round where chain_ref = $1 order by taken_at desc limit 1) newest
      where taken_at > clock_timestamp() - make_interval(secs => $2::int)`,
    [chainRef, FRESH_SECONDS],
  );
  if (sample === undefined) return null;
  return {
    sampleId: sample.id,
    baseFee: BigInt(sample.base_fee),
    tipStandard: BigInt(sample.tip_standard),
    tipFast: BigInt(sample.tip_fast),
  };
}

/**
 * Returns the fee in wei that the network is expected to charge for a payment of this token now; null without fresh gas
 * prices.
 */
export async function expectedPaymentFee(
  tx: Tx,
  { chainRef, network, token }: { readonly chainRef: string; readonly network: Network; readonly token: string },
): Promise<bigint | null> {
  const fees = isEvmNetwork(network) ? await currentFees(tx, chainRef) : null;
  if (!isEvmNetwork(network) || fees === null) return null;
  return expectedFee(network, fees, { strategy: 'standard', isCoin: token === NATIVE_COIN });
}
