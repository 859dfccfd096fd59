import type { EntityManager } from '@mikro-orm/postgresql';
import { rows } from '../../platform/database/database.js';
import { spendableOf } from './hot-balances.sql.js';

/**
 * Returns the smallest units of a token (contract, or `NATIVE_COIN`) that a hot wallet may still promise: its balance
 * at a final block, less everything that our transactions take out of it after that block, mined or only signed. Null
 * when no balance was read yet. The caller locks the wallet's row to rely on the result.
 */
export async function spendableUnits(
  em: EntityManager,
  chainRef: string,
  tokenContract: string,
): Promise<bigint | null> {
  const [row] = await rows(em, spendableOf(chainRef, tokenContract));
  if (row === undefined || row.units === null) return null;
  const units = BigInt(row.units);
  return units > 0n ? units : 0n;
}
