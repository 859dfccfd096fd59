import { join } from 'node:path';
import { EVM_COIN_DECIMALS, type EvmNetwork } from '../../domain/network.js';
import { runAnvil, type AnvilOrigin } from './anvil-process.js';
import { devAccount, type DevAccount } from './dev-accounts.js';
import { DEV_NETWORK_PLANS } from './dev-networks.js';
import { provideTestCoins, type DevCoin } from './test-coin.js';
import { provideTestTokens, type DevToken } from './test-token.js';

export interface DevChainOptions {
  readonly network: EvmNetwork;
  /** The chain keeps its files in `<dataDir>/devnet`. */
  readonly dataDir: string;
  /** 0 = any free port. Later starts keep the port of the first; a taken port moves on to the next and says so. */
  readonly preferredPort: number;
  readonly log: (line: string) => void;
}

/** A development chain that plays a network: a real EVM with worthless coins, on this machine only. */
export interface DevChain {
  readonly network: EvmNetwork;
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly chainId: number;
  /** Unlike that of any other chain: a changed one means a changed chain. */
  readonly genesisHash: string;
  readonly coin: DevCoin;
  /** By symbol. */
  readonly tokens: Readonly<Record<string, DevToken>>;
  /** Belongs to whoever uses the chain; the service never spends from it. */
  readonly faucet: DevAccount;
  /** Belongs to the service's own pay helper. */
  readonly sandboxPayer: DevAccount;
  /** Whether it ran already, came back from its saved state, or is new. */
  readonly origin: AnvilOrigin;
  /** Ends the chain in order and saves it. Without this it runs on, also when the service is killed. */
  stop(): Promise<void>;
}

/**
 * Starts the development chain of a network with its test tokens, or adopts the one that runs already. The caller holds
 * the lock of the data directory. Blocks come with transactions only: `startDevMiner` adds those that make them final.
 */
export async function startDevChain({ network, dataDir, preferredPort, log }: DevChainOptions): Promise<DevChain> {
  const { chainId, coin, tokens } = DEV_NETWORK_PLANS[network];
  const anvil = await runAnvil({ dir: join(dataDir, 'devnet'), network, chainId, preferredPort, log });
  // Before the tokens: their blocks then hold the balances, and no reorg goes back behind them.
  await provideTestCoins(anvil.url);
  return {
    network,
    rpcUrl: anvil.url,
    wsUrl: anvil.url.replace(/^http/, 'ws'),
    chainId,
    genesisHash: anvil.genesisHash,
    coin: { symbol: coin, decimals: EVM_COIN_DECIMALS },
    tokens: await provideTestTokens(anvil.url, network, tokens),
    faucet: devAccount('faucet'),
    sandboxPayer: devAccount('sandboxPayer'),
    origin: anvil.origin,
    stop: () => anvil.stop(),
  };
}
