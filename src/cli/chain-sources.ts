import { developmentProfile } from '../chains/networks.js';
import type { ChainSource } from '../chains/registry.js';
import { NATIVE_COIN, NETWORKS } from '../domain/network.js';
import type { Config } from '../platform/config.js';
import { configuredChains } from '../app/start/chain-sources.js';
import { readSandbox } from './sandbox-file.js';

/** Returns the chains that a command can ask: those of the configured nodes, and those of the sandbox. */
export async function commandChains(config: Config): Promise<ChainSource[]> {
  return [...configuredChains(config), ...(await sandboxChains(config.dataDir))];
}

/** Returns the development chains of the sandbox in this data directory. */
async function sandboxChains(dataDir: string): Promise<ChainSource[]> {
  const sandbox = await readSandbox(dataDir);
  return NETWORKS.flatMap((network) => {
    const running = sandbox?.networks[network];
    if (running === undefined) return [];
    const { rpc_url: rpcUrl, chain_id: chainId, tokens } = running;
    const contracts = Object.fromEntries(
      Object.entries(tokens).flatMap(([symbol, { address }]) =>
        address === null || address === NATIVE_COIN ? [] : [[symbol, address]],
      ),
    );
    const profile = developmentProfile({ network, chainId: String(chainId), contracts });
    return [{ profile, rpcUrls: [rpcUrl] }];
  });
}
