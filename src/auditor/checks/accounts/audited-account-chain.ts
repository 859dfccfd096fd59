import type { AccountClient } from '../../../chains/accounts.js';
import type { ExpiringClient } from '../../../chains/expiring.js';
import type { Environment, Network } from '../../../domain/network.js';

/** A chain whose transactions expire, to compare the books with, from its final block of the start on. */
export interface AuditedExpiringChain {
  readonly chainRef: string;
  readonly environment: Environment;
  readonly network: Network;
  /** Contracts of the watched tokens. */
  readonly tokens: readonly string[];
  readonly client: ExpiringClient;
  readonly finalHeight: number;
}

/** One that is read by accounts. */
export interface AuditedAccountChain extends AuditedExpiringChain {
  readonly client: AccountClient & ExpiringClient;
}
