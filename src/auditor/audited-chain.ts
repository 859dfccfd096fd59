import type { BlockHeader, ChainClient } from '../chains/chain.js';
import type { Environment } from '../domain/network.js';

/** A chain that the books are compared with, up to a block that is final there. */
export interface AuditedChain {
  readonly chainRef: string;
  readonly environment: Environment;
  readonly network: string;
  /** Contracts of the tokens that are watched. */
  readonly tokens: readonly string[];
  readonly client: ChainClient;
  readonly final: BlockHeader;
}
