import { join } from 'node:path';
import { coinOf } from '../../chains/networks.js';
import type { EvmNetwork } from '../../domain/network.js';
import { runAnvil } from './anvil-process.js';
import type { ChainOrigin } from './chain-process.js';
import { devAccount, type DevAccount } from './dev-accounts.js';
import { DEV_NETWORK_PLANS } from './dev-networks.js';
import { provideTestCoins, type DevCoin } from './test-coin.js';
import { provideTestTokens, type DevToken } from './test-token.js';

export interface DevChainOptions {
  readonly network: EvmNetwork;
  /** The chain keeps its files in `<dataDir>/devnet`. */
  readonly dataDir: string;
  /** 0 = any free port. Later starts keep the port of the first. When it is taken, the next one is used and logged. */
  readonly preferredPort: number;
  readonly log: (line: string) => void;
}

/** A development chain that simulates a network: a real EVM with worthless coins, on this machine only. */
export interface DevChain {
  readonly network: EvmNetwork;
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly chainId: number;
  /** Unique for each chain: another hash means another chain. */
  readonly genesisHash: string;
  readonly coin: DevCoin;
  /** By symbol. */
  readonly tokens: Readonly<Record<string, DevToken>>;
  /** Belongs to the users of the chain; the service never spends from it. */
  readonly faucet: DevAccount;
  /** Belongs to the service's own pay helper. */
  readonly sandboxPayer: DevAccount;
  /** Whether it was already running, was restored from its saved state, or is new. */
  readonly origin: ChainOrigin;
  /** Stops the chain and saves it. Otherwise it keeps running, also when the service is killed. */
  stop(): Promise<void>;
}

/**
 * Starts the development chain of a network with its test tokens, or adopts a running one. The caller holds the lock of the
 * data directory. Blocks come with transactions only: `startDevMiner` adds those that make them final.
 */
export async function startDevChain({ network, dataDir, preferredPort, log }: DevChainOptions): Promise<DevChain> {
  const { chainId, tokens } = DEV_NETWORK_PLANS[network];
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
    stop: () => anvil.stop(),
  };
}
