import { all, define, subselect } from '../platform/sql/relation.js';
import { sql } from '../platform/sql/sql.js';
import { out, set, table } from '../platform/sql/table.js';
import { Merchant } from './merchant.entity.js';

const merchant = table(Merchant);

/** Marks a merchant as verified, unless it is, and returns it. */
export const markVerified = (id: string) => sql`
  update ${merchant} set ${set(merchant, { liveVerifiedAt: sql`coalesce(${merchant.liveVerifiedAt}, now())` })}
   where ${merchant.id} = ${id} returning ${out(merchant, 'id')}`;

const lockTolerance = (id: string) => sql`
  select ${merchant.underpaymentToleranceBps.as('before')} from ${merchant} where ${merchant.id} = ${id} for no key update`;
const known = subselect('known', lockTolerance);

/** Sets the tolerance of a merchant, and returns the one before. */
export const replaceTolerance = (id: string, bps: number) => sql`
  update ${merchant} set ${set(merchant, { underpaymentToleranceBps: bps })}
    from ${define(known, id)}
   where ${merchant.id} = ${id} returning ${all(known)}`;
