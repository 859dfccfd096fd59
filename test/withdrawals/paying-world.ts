import type { EvmNetwork } from '../../src/domain/network.js';
import { startWorld, type World } from '../support/world.js';
import { fillHotWallet, setGas } from './withdrawals.js';

/**
 * A world whose hot wallets can pay everything. Only transactions and the spec create blocks, so that nothing becomes final
 * before the spec needs it. The price of gas is constant, so that the fee of a preview is the fee of the next order.
 */
export async function startPayingWorld(networks: readonly EvmNetwork[] = ['polygon']): Promise<World> {
  const world = await startWorld({ networks, env: { DEV_BLOCK_INTERVAL_MS: '0' } });
  for (const network of networks) {
    await fillHotWallet(world, network);
    await setGas(world.database, network, { baseFee: 2n, standard: 2n, fast: 3n });
  }
  return world;
}
