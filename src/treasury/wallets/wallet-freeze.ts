import type { Environment } from '../../domain/network.js';
import { type Tx, sql } from '../../platform/database/database.js';

/** Separates reasons, so that the person who lifts a freeze sees all of them. */
const SEPARATOR = '; ';

/** SQL: adds the reason $1 to hot wallets that do not have it yet. */
const FREEZE = `
  update hot_wallet
     set frozen_reason = case when frozen_reason is null then $1::text else frozen_reason || '${SEPARATOR}' || $1 end
   where (frozen_reason is null
          or strpos('${SEPARATOR}' || frozen_reason || '${SEPARATOR}', '${SEPARATOR}' || $1 || '${SEPARATOR}') = 0)`;

/**
 * Stops signing on a chain until an operator unfreezes its hot wallet. A frozen wallet gets the reason in addition,
 * once. Returns whether this added it; a chain without a hot wallet signs nothing anyway.
 */
export async function freezeWallet(tx: Tx, chainRef: string, reason: string): Promise<boolean> {
  const frozen = await sql(tx, `${FREEZE} and chain_ref = $2 returning chain_ref`, [reason, chainRef]);
  return frozen.length > 0;
}

/** Freezes the hot wallets of an environment, or of all (null). Operators unfreeze each of them. */
export async function freezeWallets(tx: Tx, environment: Environment | null, reason: string): Promise<void> {
  await sql(tx, `${FREEZE} and ($2::text is null or chain_ref in (select id from chain where environment = $2))`, [
    reason,
    environment,
  ]);
}
