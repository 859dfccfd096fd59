import { PoolAddress } from '../../../payments/addresses/pool-address.entity.js';
import { sql } from '../../../platform/sql/sql.js';
import { out, table, values } from '../../../platform/sql/table.js';
import { SweepItem } from '../sweep-item.entity.js';
import { ReturnedRent } from './returned-rent.entity.js';

const item = table(SweepItem);
const address = table(PoolAddress);
const rent = table(ReturnedRent);

/** Reads the items of sweeps with their addresses. */
export const itemsOfSweeps = (sweepIds: readonly string[]) => sql`
  select ${out(item, 'sweepId', 'expected', 'opensAccount', 'closesAccount')}, ${item.tokenContract.as('token')},
         ${address.addressKey.as('owner')}
    from ${item} join ${address} on ${address.id} = ${item.addressId}
   where ${item.sweepId} = any(${sweepIds}) order by ${item.sweepId}, ${item.position}`;

/** Inserts the rent that a sweep returned. */
export const insertReturnedRent = (row: ReturnedRent) => sql`insert into ${rent} ${values(rent, row)}`;
