import { isEvmNetwork, type Network } from '../../domain/network.js';
import { startDevMiner } from './dev-miner.js';
import { devNetworkPlan } from './dev-networks.js';
import { type EvmDevChain, startEvmDevChain } from './evm-dev-chain.js';
import { SOLANA_PORT, type SolanaDevChain, startSolanaDevChain } from './solana/solana-dev-chain.js';
import { startTronDevChain, TRON_PORT, type TronDevChain } from './tron/tron-dev-chain.js';

/** A development chain of one of the families. */
export type DevChain = EvmDevChain | SolanaDevChain | TronDevChain;

export interface DevChainOptions {
  /** The chain keeps its files in `<dataDir>/devnet`. */
  readonly dataDir: string;
  /** Pause between the blocks that make a payment final; 0 = only the user mines. */
  readonly blockIntervalMs: number;
  readonly log: (line: string) => void;
}

/**
 * Starts the development chain of a network with its test tokens and its blocks, or adopts a running one. The caller holds
 * the lock of the data directory.
 */
export async function startDevChain(network: Network, options: DevChainOptions): Promise<DevChain> {
  if (isEvmNetwork(network)) {
    const { port } = devNetworkPlan(network);
    return withMiner(await startEvmDevChain({ ...options, network, preferredPort: port }), options);
  }
  if (network === 'tron') return startTronDevChain({ ...options, preferredPort: TRON_PORT });
  return startSolanaDevChain({ ...options, preferredPort: SOLANA_PORT });
}

/** Whether a development chain has an EVM. */
export function isEvmDevChain(chain: DevChain): chain is EvmDevChain {
  return isEvmNetwork(chain.network);
}

/** Adds a miner, which ends before the chain. */
function withMiner(chain: EvmDevChain, { blockIntervalMs: intervalMs }: DevChainOptions): EvmDevChain {
  if (intervalMs === 0) return chain;
  const miner = startDevMiner(chain, { intervalMs });
  return {
    ...chain,
    pausedFor: (work) => miner.pausedFor(work),
    stop: async () => {
      await miner.stop();
      await chain.stop();
    },
  };
}
