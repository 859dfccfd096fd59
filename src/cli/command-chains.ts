import { developmentProfile } from '../chains/networks.js';
import type { ChainSource } from '../chains/registry.js';
import { EVM_NETWORKS } from '../domain/network.js';
import type { Config } from '../platform/config.js';
import type { Database } from '../platform/database/database.js';
import { createLogger } from '../platform/logging.js';
import { configuredChains } from '../start/chain-sources.js';
import { TreasuryChains } from '../treasury/treasury-chains.service.js';
import { readSandbox } from './sandbox-file.js';

/**
 * The chains as a command reaches them: through the nodes of the configuration, or those of the sandbox. Close them by
 * `beforeApplicationShutdown`.
 */
export async function commandChains(database: Database, config: Config): Promise<TreasuryChains> {
  const sources = [...configuredChains(config), ...(await sandboxChains(config.dataDir))];
  return new TreasuryChains(database, { chains: sources }, createLogger('silent'));
}

/** The development chains of a sandbox in this data directory. */
async function sandboxChains(dataDir: string): Promise<ChainSource[]> {
  const sandbox = await readSandbox(dataDir);
  return EVM_NETWORKS.flatMap((network) => {
    const running = sandbox?.networks[network];
    if (running === undefined) return [];
    const { rpc_url: rpcUrl, chain_id: chainId, tokens } = running;
    const contracts = Object.fromEntries(
      Object.entries(tokens).flatMap(([symbol, { address }]) => (address === null ? [] : [[symbol, address]])),
    );
    const profile = developmentProfile({ network, chainId: String(chainId), contracts });
    return [{ profile, rpcUrls: [rpcUrl] }];
  });
}
