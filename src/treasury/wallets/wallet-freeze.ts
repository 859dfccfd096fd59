import type { Environment } from '../../domain/network.js';
import { type Tx, sql } from '../../platform/database/database.js';

/** Between reasons: who lifts a freeze must see that several stood behind it. */
const SEPARATOR = '; ';

/** SQL: adds the reason $1 to hot wallets that do not name it yet; no other does. */
const FREEZE = `
  update hot_wallet
     set frozen_reason = case when frozen_reason is null then $1::text else frozen_reason || '${SEPARATOR}' || $1 end
   where (frozen_reason is null
          or strpos('${SEPARATOR}' || frozen_reason || '${SEPARATOR}', '${SEPARATOR}' || $1 || '${SEPARATOR}') = 0)`;

/**
 * Stops signing on a chain until staff unfreeze its hot wallet. One that is frozen already gets this reason beside the ones
 * that it has, once. True when this added it; a chain without a hot wallet signs nothing anyway.
 */
export async function freezeWallet(tx: Tx, chainRef: string, reason: string): Promise<boolean> {
  const frozen = await sql(tx, `${FREEZE} and chain_ref = $2 returning chain_ref`, [reason, chainRef]);
  return frozen.length > 0;
}

/** Does so on every chain of an environment, or of all (null), until staff unfreeze one hot wallet after the other. */
export async function freezeWallets(tx: Tx, environment: Environment | null, reason: string): Promise<void> {
  await sql(tx, `${FREEZE} and ($2::text is null or chain_ref in (select id from chain where environment = $2))`, [
    reason,
    environment,
  ]);
}
