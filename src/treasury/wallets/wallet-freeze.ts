import type { Environment } from '../../domain/network.js';
import { rows, type Tx } from '../../platform/database/database.js';
import { freezeAll, freezeOne } from './hot-wallets.sql.js';

/**
 * Stops signing on a chain until an operator unfreezes its hot wallet. A frozen wallet gets the reason in addition,
 * once. Returns whether this added it; a chain without a hot wallet signs nothing anyway.
 */
export async function freezeWallet(tx: Tx, chainRef: string, reason: string): Promise<boolean> {
  const frozen = await rows(tx, freezeOne(chainRef, reason));
  return frozen.length > 0;
}

/** Freezes the hot wallets of an environment, or of all (null). Operators unfreeze each of them. */
export async function freezeWallets(tx: Tx, environment: Environment | null, reason: string): Promise<void> {
  await rows(tx, freezeAll(environment, reason));
}
