import { CALL_GAS_HEADROOM, sweepGasLimit } from '../../domain/sweep-gas.js';
import { type Tx, sql } from '../../platform/database/database.js';
import { DEPLOYMENT_GAS, sweepContracts } from '../sweeps/sweep-contracts.js';
import { GAS_LIMIT } from './gas-limits.js';

/** So many token payments can go on while coins are brought. */
const TOKEN_PAYMENTS_KEPT = 3n;
const PAYMENTS_GAS = TOKEN_PAYMENTS_KEPT * GAS_LIMIT.token;
/** The smallest sweep there is. */
const SWEEP_GAS = CALL_GAS_HEADROOM * sweepGasLimit({ items: 1, tokens: 1, authorizations: 1 });
/** Both contracts, which the first sweep needs; what they leave unused is more than it takes. */
const DEPLOYMENTS_GAS = (CALL_GAS_HEADROOM + 1n) * DEPLOYMENT_GAS;

/**
 * What payments in the coin leave in a hot wallet, in wei: the gas of a sweep that brings more, and of a few payments in
 * tokens. Deposit addresses may hold plenty, but only the hot wallet can pay for a sweep: without its gas the network would
 * stand still until operators fill the wallet, and any merchant could bring that about.
 */
export async function gasReserve(tx: Tx, chainRef: string, maxFeePerGas: bigint): Promise<bigint> {
  const [wallet] = await sql<{ address_key: string; ready: string[] }>(
    tx,
    `select address_key, array(select address from sweep_contract
                                where chain_ref = $1 and ready_at is not null and abandoned_at is null) as ready
       from hot_wallet where chain_ref = $1`,
    [chainRef],
  );
  // A later version may want others than those that are there.
  const wanted = wallet === undefined ? [] : Object.values(sweepContracts(wallet.address_key));
  const areReady = wanted.every(({ address }) => wallet?.ready.includes(address));
  return (PAYMENTS_GAS + (areReady ? SWEEP_GAS : DEPLOYMENTS_GAS)) * maxFeePerGas;
}
