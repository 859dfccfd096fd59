import { addressFamilyOf, type Environment, type Network } from '../domain/network.js';
import type { ChainClient } from './chain.js';
import { type ChainNode, ChainNodes, type NodeObserver } from './nodes/chain-nodes.js';
import { EvmChainClient } from './evm/evm-chain-client.js';
import type { NetworkProfile } from './networks.js';
import { NodeHealth } from './nodes/node-health.js';
import { otherNodesSee } from './nodes/other-nodes.js';
import { parseRpcEndpoint } from './rpc/rpc-endpoint.js';

/** A chain to serve and the nodes through which it is reached. */
export interface ChainSource {
  readonly profile: NetworkProfile;
  /** At least one, the preferred first. */
  readonly rpcUrls: readonly string[];
  /** Websocket of the preferred node. */
  readonly wsUrl?: string;
}

/** A chain that is served: what is known of it, and its nodes. */
export interface ServedChain {
  readonly profile: NetworkProfile;
  readonly nodes: ChainNodes;
}

/** The chains of this process. */
export class ChainRegistry {
  private readonly chains = new Map<string, ServedChain>();

  /** Connects to nothing yet. Throws on a chain named twice, one without a URL and a network without a client. */
  constructor(sources: readonly ChainSource[], observerOf?: (profile: NetworkProfile) => NodeObserver) {
    for (const source of sources) {
      const { profile } = source;
      const key = keyOf(profile.environment, profile.network);
      if (this.chains.has(key)) {
        throw new Error(`The ${profile.environment} chain of ${profile.network} is configured twice.`);
      }
      this.chains.set(key, { profile, nodes: nodesOf(source, observerOf?.(profile)) });
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
    await Promise.all(this.all().map(({ nodes }) => nodes.close()));
  }
}

function keyOf(environment: Environment, network: Network): string {
  return `${environment} ${network}`;
}

function nodesOf(source: ChainSource, observer: NodeObserver | undefined): ChainNodes {
  const { profile, rpcUrls } = source;
  if (addressFamilyOf(profile.network) !== 'evm') throw new Error(`There is no client for ${profile.network} yet.`);
  const labels = labelsOf(rpcUrls);
  const [preferred, ...others] = rpcUrls.map((rpcUrl, place): ChainNode => {
    const health = new NodeHealth(labels[place] ?? '');
    const client: ChainClient = new EvmChainClient({
      profile,
      rpcUrl,
      onAnswer: (durationMs) => health.answered(durationMs),
      ...(place === 0 && source.wsUrl !== undefined && { wsUrl: source.wsUrl }),
      otherNodesSee: (block, tokens) => otherNodesSee(nodes, client, block, tokens),
    });
    return { client, health };
  });
  if (preferred === undefined) throw new Error(`The ${profile.environment} chain of ${profile.network} has no URL.`);
  const nodes = new ChainNodes(profile, [preferred, ...others], observer);
  return nodes;
}

/** Scheme, host and port of each URL; where two are alike, such as two accounts of one provider, numbered. */
function labelsOf(rpcUrls: readonly string[]): readonly string[] {
  const labels = rpcUrls.map((rpcUrl) => parseRpcEndpoint(rpcUrl).label);
  return labels.map((label, place) => {
    const before = labels.slice(0, place).filter((other) => other === label).length;
    return before === 0 ? label : `${label} (${before + 1})`;
  });
}
