import type { EntityManager } from '@mikro-orm/postgresql';
import { CALL_GAS_HEADROOM, sweepGasLimit } from '../../domain/sweep-gas.js';
import { TRANSFER_GAS } from '../../domain/transfer-gas.js';
import { rows } from '../../platform/database/database.js';
import { DEPLOYMENT_GAS, sweepContracts } from '../../chains/evm/sweep-contracts.js';
import { findWalletWithReady } from './gas-prices.sql.js';

/** Token payments that can continue while coins are swept in. */
const TOKEN_PAYMENTS_KEPT = 3n;
const PAYMENTS_GAS = TOKEN_PAYMENTS_KEPT * TRANSFER_GAS.token.limit;
/** The gas of the smallest sweep. */
const SWEEP_GAS = CALL_GAS_HEADROOM * sweepGasLimit({ items: 1, tokens: 1, authorizations: 1 });
/** Both contracts, which the first sweep needs. Their unused gas is more than that sweep takes. */
const DEPLOYMENTS_GAS = (CALL_GAS_HEADROOM + 1n) * DEPLOYMENT_GAS;

/**
 * Returns the wei that payments in the coin must leave in a hot wallet: the gas of one sweep and of a few token
 * payments. Only the hot wallet can pay for a sweep. Without this reserve any merchant could empty it, and the network
 * would halt until operators fill the wallet.
 */
export async function gasReserve(em: EntityManager, chainRef: string, maxFeePerGas: bigint): Promise<bigint> {
  const [wallet] = await rows(em, findWalletWithReady(chainRef));
  // A later version may need other contracts than the deployed ones.
  const wanted = wallet === undefined ? [] : Object.values(sweepContracts(wallet.addressKey));
  const areReady = wanted.every(({ address }) => wallet?.ready.includes(address));
  return (PAYMENTS_GAS + (areReady ? SWEEP_GAS : DEPLOYMENTS_GAS)) * maxFeePerGas;
}
