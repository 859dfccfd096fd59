import { developmentProfile } from '../chains/networks.js';
import type { ChainSource } from '../chains/registry.js';
import { type Environment, ENVIRONMENTS, EVM_NETWORKS, type Network, NETWORKS } from '../domain/network.js';
import type { Config } from '../platform/config.js';
import type { Database } from '../platform/database/database.js';
import { createLogger } from '../platform/logging.js';
import { configuredChains } from '../app/start/chain-sources.js';
import { type TreasuryChain, TreasuryChains } from '../treasury/treasury-chains.service.js';
import { CommandFailure, oneOf, required, UsageError } from './command.js';
import { readSandbox } from './sandbox-file.js';

/** Lets a command ask the chains that are in use: through the nodes of the configuration, or those of the sandbox. */
export async function withChains<Result>(
  database: Database,
  config: Config,
  work: (chains: TreasuryChains) => Promise<Result>,
): Promise<Result> {
  const sources = [...configuredChains(config), ...(await sandboxChains(config.dataDir))];
  const chains = new TreasuryChains(database, { chains: sources }, createLogger('silent'));
  try {
    return await work(chains);
  } finally {
    await chains.beforeApplicationShutdown();
  }
}

/** The options that name one chain. */
export const chainOptions = {
  network: { type: 'string', value: 'NAME', about: 'The hot wallet of this network.' },
  env: { type: 'string', value: 'ENV', about: 'sandbox or live; needed where the network is used in both.' },
} as const;

/** A chain as the options name it. */
export interface NamedChain {
  readonly network: Network;
  readonly environment: Environment | null;
}

/** @throws UsageError */
export function namedChain(values: {
  readonly network?: string | undefined;
  readonly env?: string | undefined;
}): NamedChain {
  return {
    network: oneOf(NETWORKS, required(values.network, '--network'), '--network'),
    environment: values.env === undefined ? null : oneOf(ENVIRONMENTS, values.env, '--env'),
  };
}

/** The one chain that is meant. @throws UsageError when there are two; CommandFailure when it cannot be reached from here */
export async function reachableChain(
  chains: TreasuryChains,
  { network, environment }: NamedChain,
): Promise<TreasuryChain> {
  const found = (await chains.active()).filter(
    ({ profile }) => profile.network === network && (environment === null || profile.environment === environment),
  );
  const [chain, other] = found;
  if (other !== undefined) throw new UsageError(`${network} is used in both environments: name one by --env.`);
  if (chain === undefined) {
    const place = environment === null ? network : `${environment}/${network}`;
    throw new CommandFailure(`No node of ${place} is configured here.`, `set its ..._RPC_URL for this command.`);
  }
  return chain;
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
