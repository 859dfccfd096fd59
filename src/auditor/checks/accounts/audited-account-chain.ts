import type { AccountClient } from '../../../chains/accounts.js';
import type { ExpiringClient } from '../../../chains/expiring.js';
import type { Environment, Network } from '../../../domain/network.js';

/** A chain that is read by accounts, to compare the books with, from its final block of the start on. */
export interface AuditedAccountChain {
  readonly chainRef: string;
  readonly environment: Environment;
  readonly network: Network;
  /** Contracts of the watched tokens. */
  readonly tokens: readonly string[];
  readonly client: AccountClient & ExpiringClient;
  readonly finalHeight: number;
}
