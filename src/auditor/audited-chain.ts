import type { BlockHeader, ChainClient } from '../chains/chain.js';
import type { Environment } from '../domain/network.js';

/** A chain to compare the books with, up to its final block. */
export interface AuditedChain {
  readonly chainRef: string;
  readonly environment: Environment;
  readonly network: string;
  /** Contracts of the watched tokens. */
  readonly tokens: readonly string[];
  readonly client: ChainClient;
  readonly final: BlockHeader;
}
