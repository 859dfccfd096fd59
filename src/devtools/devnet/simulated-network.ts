import type { Network } from '../../domain/network.js';
import type { ChainOrigin } from './chain-process.js';

/** An account of a development chain, with a published key and worthless coins, in the spelling of its chain's wallets. */
interface PublishedAccount {
  readonly address: string;
  readonly privateKey: string;
}

/** A development chain of any family: it simulates a network with worthless coins, on this machine only. */
export interface SimulatedNetwork {
  readonly network: Network;
  readonly rpcUrl: string;
  /** As `sandbox.json` shows it. */
  readonly chainId: number | string;
  /** Unique for each chain: another hash means another chain. */
  readonly genesisHash: string;
  readonly coin: { readonly symbol: string; readonly decimals: number };
  /** By symbol. */
  readonly tokens: Readonly<Record<string, { readonly address: string; readonly decimals: number }>>;
  /** Belongs to the users of the chain; the service never spends from it. */
  readonly faucet: PublishedAccount;
  /** Belongs to the service's own pay helper. */
  readonly sandboxPayer: PublishedAccount;
  /** Whether it was already running, was restored from its saved state, or is new. */
  readonly origin: ChainOrigin;
  /** Stops the chain and saves it. Otherwise it keeps running, also when the service is killed. */
  stop(): Promise<void>;
}
