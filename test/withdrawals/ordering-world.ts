import type { PocketObject } from '../../src/ledger/pocket.schema.js';
import { addKey, addMerchant } from '../http/tenants.js';
import type { ApiClient } from '../support/api-client.js';
import type { EvmNetwork } from '../../src/domain/network.js';
import { startWorld, type World } from '../support/world.js';
import { filledPocket, freezeMerchant, setGas } from './withdrawals.js';

/** In gwei: a token transfer costs 10 cents, a fast one 12. */
export const GAS = { baseFee: 2_000n, standard: 500n, fast: 1_000n };

interface OrderingWorld {
  readonly world: World;
  /** A merchant whose withdrawals are never signed. */
  readonly api: ApiClient;
  /** Its pocket, with 1,000 USDC on polygon. */
  readonly pocket: PocketObject;
}

/** A world for the checks of an order, with gas at the price of `GAS` on polygon. */
export async function startOrderingWorld(networks: readonly EvmNetwork[] = ['polygon']): Promise<OrderingWorld> {
  const world = await startWorld({ networks, env: { RATE_LIMIT_PER_SECOND: '0' } });
  await setGas(world.database, 'polygon', GAS);
  const merchantId = await addMerchant(world, 'Never signed for');
  await freezeMerchant(world.database, merchantId, 'Its withdrawals stay in flight.');
  const api = await addKey(world, merchantId, 'sandbox');
  return { world, api, pocket: await filledPocket(world, { api }) };
}
