import type { AccountClient } from '../../../chains/accounts.js';
import type { ExpiringClient } from '../../../chains/expiring.js';
import type { AuditedExpiringChain } from '../audited-expiring-chain.js';

/** A chain that is read by accounts, to compare the books with. */
export interface AuditedAccountChain extends AuditedExpiringChain {
  readonly client: AccountClient & ExpiringClient;
}
