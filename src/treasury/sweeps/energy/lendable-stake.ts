import type { EntityManager } from '@mikro-orm/postgresql';
import type { Lendable } from '../../../chains/expiring-energy.js';
import { row } from '../../../platform/database/database.js';
import { leavingAbove } from '../../stakes/stake-orders.sql.js';
import { lentAbove } from './energy-loans.sql.js';

/**
 * Returns the stake whose energy the hot wallet can still lend: what it could at a final block, less the loans that were not
 * final there. A return that is not final yet counts as lent, and a stake that is about to be taken back as gone.
 */
export async function lendableStake(
  em: EntityManager,
  chainRef: string,
  { stake, height: above }: Lendable,
  { withUnsigned }: { readonly withUnsigned: boolean },
): Promise<bigint> {
  if (stake === 0n) return 0n;
  const lent = await row(em, lentAbove(chainRef, { above, withUnsigned }));
  const leaving = await row(em, leavingAbove(chainRef, above));
  const free = stake - BigInt(leaving.stake);
  return free - BigInt(lent.stake);
}
