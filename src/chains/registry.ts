import { addressFamilyOf, type Environment, type Network } from '../domain/network.js';
import type { AccountClient } from './accounts.js';
import type { BlockClient, ChainClient, NodeClient } from './chain.js';
import { type ChainNode, ChainNodes, type NodeObserver } from './nodes/chain-nodes.js';
import type { EnergyLender } from './expiring-energy.js';
import type { StakeClient, Staker } from './expiring-stakes.js';
import type { ExpiringSweeper, OwnCostClient } from './expiring-sweeps.js';
import type { ExpiringClient, ExpiringPayer } from './expiring.js';
import { EvmChainClient } from './evm/evm-chain-client.js';
import type { NetworkProfile } from './networks.js';
import { NodeHealth } from './nodes/node-health.js';
import { otherNodesSee } from './nodes/other-nodes.js';
import type { RequestRate, RequestRates } from './rpc/request-rate.js';
import { parseRpcEndpoint } from './rpc/rpc-endpoint.js';
import { SolanaClient } from './solana/solana-client.js';
import { SolanaPayer } from './solana/solana-payer.js';
import { SolanaSweeper } from './solana/solana-sweeper.js';
import { TronClient } from './tron/tron-client.js';
import { TronLender } from './tron/tron-lender.js';
import { TronPayer } from './tron/tron-payer.js';
import { TronStaker } from './tron/tron-staker.js';
import { TronSweeper } from './tron/tron-sweeper.js';

/** A chain to serve, with the URLs of its nodes. */
export interface ChainSource {
  readonly profile: NetworkProfile;
  /** At least one, the preferred first. */
  readonly rpcUrls: readonly string[];
  /** Websocket of the preferred node. */
  readonly wsUrl?: string;
  /** The limits of the nodes; missing = none. */
  readonly rates?: RequestRates;
}

/** What pays on a chain whose transactions expire. */
interface ExpiringPart<Client extends NodeClient = NodeClient> {
  /** The nodes that also read it. */
  readonly nodes: ChainNodes<Client & ExpiringClient>;
  readonly payer: ExpiringPayer;
  readonly sweeper: ExpiringSweeper;
  /** The same nodes where deposit addresses pay for their sweeps; null where the hot wallet does. */
  readonly ownCosts: ChainNodes<NodeClient & OwnCostClient> | null;
  /** The same nodes where the hot wallet can stake coins; null elsewhere. */
  readonly stakes: ChainNodes<NodeClient & StakeClient> | null;
}

/** A chain that is read block by block. */
interface BlockChain {
  readonly reading: 'blocks';
  readonly profile: NetworkProfile;
  readonly nodes: ChainNodes<BlockClient>;
  /** The same nodes; null where account nonces exclude no second payment. */
  readonly payers: ChainNodes | null;
  /** Null where transactions do not expire. */
  readonly expiring: ExpiringPart<BlockClient> | null;
}

/** A chain that is read account by account, and whose transactions expire. */
interface AccountChain {
  readonly reading: 'accounts';
  readonly profile: NetworkProfile;
  readonly nodes: ChainNodes<AccountClient & ExpiringClient>;
  readonly expiring: ExpiringPart;
}

/** A served chain: its profile, its nodes, and how it is read. */
export type ServedChain = BlockChain | AccountChain;

const SOLANA_PAYER = new SolanaPayer();
const SOLANA_SWEEPER = new SolanaSweeper();
const TRON_PAYER = new TronPayer();
const TRON_SWEEPER = new TronSweeper();
const TRON_LENDER = new TronLender();
const TRON_STAKER = new TronStaker();

/** Returns what plans and checks payments on a network whose transactions expire; it asks no node. */
export function expiringPayerOf(network: Network): ExpiringPayer {
  const family = addressFamilyOf(network);
  if (family === 'solana') return SOLANA_PAYER;
  if (family === 'tron') return TRON_PAYER;
  throw new Error(`The transactions of ${network} do not expire, or it has no payer.`);
}

/** Returns what plans and checks sweeps on a network whose transactions expire; it asks no node. */
export function expiringSweeperOf(network: Network): ExpiringSweeper {
  const family = addressFamilyOf(network);
  if (family === 'solana') return SOLANA_SWEEPER;
  if (family === 'tron') return TRON_SWEEPER;
  throw new Error(`The transactions of ${network} do not expire, or it has no sweeps.`);
}

/** Returns what lends staked energy on a network; null where there is no such thing. It asks no node. */
export const energyLenderOf = (network: Network): EnergyLender | null =>
  addressFamilyOf(network) === 'tron' ? TRON_LENDER : null;

/** Returns what stakes coins on a network; null where there is no such thing. It asks no node. */
export const stakerOf = (network: Network): Staker | null => (addressFamilyOf(network) === 'tron' ? TRON_STAKER : null);

/** The chains of this process. */
export class ChainRegistry {
  private readonly chains = new Map<string, ServedChain>();

  /** Does not connect yet. Throws on a chain that is configured twice or has no URL. */
  constructor(sources: readonly ChainSource[], observerOf?: (profile: NetworkProfile) => NodeObserver) {
    for (const source of sources) {
      const { profile } = source;
      const key = keyOf(profile.environment, profile.network);
      if (this.chains.has(key)) {
        throw new Error(`The ${profile.environment} chain of ${profile.network} is configured twice.`);
      }
      this.chains.set(key, servedChain(source, observerOf?.(profile)));
    }
  }

  /** Returns the chain of a network, or null when this process does not serve it. */
  get(environment: Environment, network: Network): ServedChain | null {
    return this.chains.get(keyOf(environment, network)) ?? null;
  }

  /** Returns every chain, in the order of the sources. */
  all(): readonly ServedChain[] {
    return [...this.chains.values()];
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    await Promise.all(this.all().map(({ nodes }) => nodes.close()));
  }
}

function keyOf(environment: Environment, network: Network): string {
  return `${environment} ${network}`;
}

/** Connects the nodes of a chain by the client of its family. */
function servedChain(source: ChainSource, observer: NodeObserver | undefined): ServedChain {
  const { profile } = source;
  const family = addressFamilyOf(profile.network);
  if (family === 'tron') {
    const nodes = nodesOf(source, observer, (options) => new TronClient(options));
    const expiring = { nodes, payer: TRON_PAYER, sweeper: TRON_SWEEPER, ownCosts: nodes, stakes: nodes };
    return { reading: 'blocks', profile, nodes, payers: null, expiring };
  }
  if (family === 'solana') {
    const nodes = nodesOf(source, observer, (options) => new SolanaClient(options));
    const expiring = { nodes, payer: SOLANA_PAYER, sweeper: SOLANA_SWEEPER, ownCosts: null, stakes: null };
    return { reading: 'accounts', profile, nodes, expiring };
  }
  const nodes: ChainNodes = nodesOf(source, observer, (options) => evmClient(options, () => nodes));
  return { reading: 'blocks', profile, nodes, payers: nodes, expiring: null };
}

/** A client that asks the other nodes of its chain when a bloom contradicts an empty answer. */
function evmClient(options: ClientOptions, nodes: () => ChainNodes): ChainClient {
  const client: ChainClient = new EvmChainClient({
    ...options,
    otherNodesSee: (block, tokens) => otherNodesSee(nodes(), client, block, tokens),
  });
  return client;
}

/** What the client of every family is given. */
interface ClientOptions {
  readonly profile: NetworkProfile;
  readonly rpcUrl: string;
  readonly wsUrl?: string;
  readonly onAnswer: (durationMs: number) => void;
  readonly rate?: RequestRate;
}

function nodesOf<Client extends NodeClient>(
  { profile, rpcUrls, wsUrl, rates }: ChainSource,
  observer: NodeObserver | undefined,
  connect: (options: ClientOptions) => Client,
): ChainNodes<Client> {
  const labels = labelsOf(rpcUrls);
  const [preferred, ...others] = rpcUrls.map((rpcUrl, place): ChainNode<Client> => {
    const health = new NodeHealth(labels[place] ?? '');
    const client = connect({
      profile,
      rpcUrl,
      onAnswer: (durationMs) => health.answered(durationMs),
      ...(rates !== undefined && { rate: rates.of(rpcUrl) }),
      ...(place === 0 && wsUrl !== undefined && { wsUrl }),
    });
    return { client, health };
  });
  if (preferred === undefined) throw new Error(`The ${profile.environment} chain of ${profile.network} has no URL.`);
  return new ChainNodes(profile, [preferred, ...others], observer);
}

/** Returns scheme, host and port of each URL, numbered where they are equal, such as for two accounts of one provider. */
function labelsOf(rpcUrls: readonly string[]): readonly string[] {
  const labels = rpcUrls.map((rpcUrl) => parseRpcEndpoint(rpcUrl).label);
  return labels.map((label, place) => {
    const before = labels.slice(0, place).filter((other) => other === label).length;
    return before === 0 ? label : `${label} (${before + 1})`;
  });
}
