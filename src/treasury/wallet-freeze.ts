import { type Tx, sql } from '../platform/database/database.js';

/**
 * Stops signing on a chain until staff unfreeze its hot wallet. True when this did it: one that is frozen keeps its first
 * reason, and a chain without a hot wallet signs nothing anyway.
 */
export async function freezeWallet(tx: Tx, chainRef: string, reason: string): Promise<boolean> {
  const frozen = await sql(
    tx,
    `update hot_wallet set frozen_reason = $2 where chain_ref = $1 and frozen_reason is null returning chain_ref`,
    [chainRef, reason],
  );
  return frozen.length > 0;
}

/** Stops signing everywhere, until staff unfreeze one hot wallet after the other. One that is frozen keeps its reason. */
export async function freezeAllWallets(tx: Tx, reason: string): Promise<void> {
  await sql(tx, `update hot_wallet set frozen_reason = $1 where frozen_reason is null`, [reason]);
}
