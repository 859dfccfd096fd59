import { join } from 'node:path';
import { coinOf } from '../../chains/networks.js';
import type { EvmNetwork } from '../../domain/network.js';
import { runAnvil } from './anvil-process.js';
import { devAccount, type DevAccount } from './dev-accounts.js';
import { devNetworkPlan } from './dev-networks.js';
import { provideTestCoins, type DevCoin } from './test-coin.js';
import type { SimulatedNetwork } from './simulated-network.js';
import { provideTestTokens, type DevToken } from './test-token.js';

export interface EvmDevChainOptions {
  readonly network: EvmNetwork;
  /** The chain keeps its files in `<dataDir>/devnet`. */
  readonly dataDir: string;
  /** 0 = any free port. Later starts keep the port of the first. When it is taken, the next one is used and logged. */
  readonly preferredPort: number;
  readonly log: (line: string) => void;
}

/** A development chain with a real EVM. */
export interface EvmDevChain extends SimulatedNetwork {
  readonly network: EvmNetwork;
  readonly wsUrl: string;
  readonly chainId: number;
  readonly coin: DevCoin;
  readonly tokens: Readonly<Record<string, DevToken>>;
  readonly faucet: DevAccount;
  readonly sandboxPayer: DevAccount;
  /** Runs work while the miner makes no block. */
  pausedFor<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Starts the development chain of a network with its test tokens, or adopts a running one. The caller holds the lock of the
 * data directory. Blocks come with transactions only: `startDevMiner` adds those that make them final.
 */
export async function startEvmDevChain({
  network,
  dataDir,
  preferredPort,
  log,
}: EvmDevChainOptions): Promise<EvmDevChain> {
  const { chainId, tokens } = devNetworkPlan(network);
  const anvil = await runAnvil({ dir: join(dataDir, 'devnet'), network, chainId, preferredPort, log });
  // Before the tokens, so that the tokens' blocks include these balances, and no reorg can undo them.
  await provideTestCoins(anvil.url);
  return {
    network,
    rpcUrl: anvil.url,
    wsUrl: anvil.url.replace(/^http/, 'ws'),
    chainId,
    genesisHash: anvil.genesisHash,
    coin: coinOf(network),
    tokens: await provideTestTokens(anvil.url, network, tokens),
    faucet: devAccount('faucet'),
    sandboxPayer: devAccount('sandboxPayer'),
    origin: anvil.origin,
    // The miner that comes with it replaces this.
    pausedFor: (work) => work(),
    stop: () => anvil.stop(),
  };
}
