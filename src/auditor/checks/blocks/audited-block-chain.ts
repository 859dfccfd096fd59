import type { BlockClient } from '../../../chains/chain.js';
import type { ExpiringClient } from '../../../chains/expiring.js';
import type { AuditedExpiringChain } from '../accounts/audited-account-chain.js';

/** A chain that is read by blocks, whose transactions expire and whose past balances no node returns. */
export interface AuditedBlockChain extends AuditedExpiringChain {
  readonly client: BlockClient & ExpiringClient;
}
