import { all, relation } from '../platform/sql/relation.js';
import { type RowOf, sql } from '../platform/sql/sql.js';
import { out, set, table } from '../platform/sql/table.js';
import { Merchant } from './merchant.entity.js';

const merchant = table(Merchant);

/** Marks a merchant as verified, unless it is, and returns it. */
export const markVerified = (id: string) => sql`
  update ${merchant} set ${set(merchant, { liveVerifiedAt: sql`coalesce(${merchant.liveVerifiedAt}, now())` })}
   where ${merchant.id} = ${id} returning ${out(merchant, 'id')}`;

const lockTolerance = (id: string) => sql`
  select ${merchant.underpaymentToleranceBps.as('before')} from ${merchant} where ${merchant.id} = ${id} for update`;
const known = relation<RowOf<typeof lockTolerance>>('known');

/** Sets the tolerance of a merchant, and returns the one before. */
export const replaceTolerance = (id: string, bps: number) => sql`
  update ${merchant} set ${set(merchant, { underpaymentToleranceBps: bps })}
    from (${lockTolerance(id)}) ${known}
   where ${merchant.id} = ${id} returning ${all(known)}`;
