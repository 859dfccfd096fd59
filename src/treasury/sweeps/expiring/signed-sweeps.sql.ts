import { PoolAddress } from '../../../payments/addresses/pool-address.entity.js';
import { as } from '../../../platform/sql/as.js';
import { sql } from '../../../platform/sql/sql.js';
import { out, table, values } from '../../../platform/sql/table.js';
import { SweepItem } from '../sweep-item.entity.js';
import { ReturnedRent } from './returned-rent.entity.js';
import { SweptAccount } from './swept-account.entity.js';

const item = table(SweepItem);
const emptied = table(SweptAccount);
const address = table(PoolAddress);
const rent = table(ReturnedRent);

/** Reads the items of sweeps with their addresses. */
export const itemsOfSweeps = (sweepIds: readonly string[]) => sql`
  select ${out(item, 'sweepId', 'expected')}, ${item.tokenContract.as('token')},
         coalesce(${emptied.opensAccount}, ${item.opensAccount}) ${as.booleanOrNull('opensAccount')},
         coalesce(${emptied.closesAccount}, ${item.closesAccount}) ${as.booleanOrNull('closesAccount')},
         ${address.addressKey.as('owner')}
    from ${item} join ${address} on ${address.id} = ${item.addressId}
    left join ${emptied} on ${emptied.sweepId} = ${item.sweepId} and ${emptied.position} = ${item.position}
   where ${item.sweepId} = any(${sweepIds}) order by ${item.sweepId}, ${item.position}`;

/** Inserts the rent that a sweep returned. */
export const insertReturnedRent = (row: ReturnedRent) => sql`insert into ${rent} ${values(rent, row)}`;
