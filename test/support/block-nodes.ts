import type { ChainNodes } from '../../src/chains/nodes/chain-nodes.js';
import type { ChainRegistry } from '../../src/chains/registry.js';
import type { Network } from '../../src/domain/network.js';

/** Returns the nodes of a sandbox chain that is read by blocks and paid on. @throws Error when the registry has none. */
export function blockNodes(registry: ChainRegistry, network: Network): ChainNodes {
  const served = registry.get('sandbox', network);
  if (served?.reading !== 'blocks' || served.payers === null) throw new Error(`Nothing is paid on ${network}.`);
  return served.payers;
}
