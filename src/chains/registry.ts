import { addressFamilyOf, type Environment, type Network } from '../domain/network.js';
import type { ChainClient } from './chain.js';
import { EvmChainClient } from './evm/evm-chain-client.js';
import type { NetworkProfile } from './networks.js';

/** A chain to serve and the nodes through which it is reached. */
export interface ChainSource {
  readonly profile: NetworkProfile;
  /** At least one, the preferred first. */
  readonly rpcUrls: readonly string[];
  /** Websocket of the preferred node. */
  readonly wsUrl?: string;
}

/** A chain that is served: what is known of it and a client for each of its nodes, the preferred first. */
export interface ServedChain {
  readonly profile: NetworkProfile;
  readonly clients: readonly [ChainClient, ...ChainClient[]];
}

/** The chains of this process. */
export class ChainRegistry {
  private readonly chains = new Map<string, ServedChain>();

  /** Connects to nothing yet. Throws on a chain named twice, one without a URL and a network without a client. */
  constructor(sources: readonly ChainSource[]) {
    for (const source of sources) {
      const { environment, network } = source.profile;
      const key = keyOf(environment, network);
      if (this.chains.has(key)) throw new Error(`The ${environment} chain of ${network} is configured twice.`);
      this.chains.set(key, { profile: source.profile, clients: clientsFor(source) });
    }
  }

  /** The chain of a network, or null when this process does not serve it. */
  get(environment: Environment, network: Network): ServedChain | null {
    return this.chains.get(keyOf(environment, network)) ?? null;
  }

  /** Every chain, in the order of the sources. */
  all(): readonly ServedChain[] {
    return [...this.chains.values()];
  }

  /** Lets go of every connection. */
  async close(): Promise<void> {
    await Promise.all(this.all().flatMap((chain) => chain.clients.map((client) => client.close())));
  }
}

function keyOf(environment: Environment, network: Network): string {
  return `${environment} ${network}`;
}

function clientsFor({ profile, rpcUrls, wsUrl }: ChainSource): [ChainClient, ...ChainClient[]] {
  const [preferred, ...others] = rpcUrls;
  if (preferred === undefined) throw new Error(`The ${profile.environment} chain of ${profile.network} has no URL.`);
  if (addressFamilyOf(profile.network) !== 'evm') throw new Error(`There is no client for ${profile.network} yet.`);
  return [
    new EvmChainClient({ profile, rpcUrl: preferred, wsUrl }),
    ...others.map((rpcUrl) => new EvmChainClient({ profile, rpcUrl })),
  ];
}
