import type { CreditedObstacle } from '../../../domain/account-obstacle.js';
import { as } from '../../../platform/sql/as.js';
import { given, unnest } from '../../../platform/sql/given.js';
import { sql } from '../../../platform/sql/sql.js';
import { out, set, table } from '../../../platform/sql/table.js';
import { SweptAccount } from '../../../treasury/sweeps/expiring/swept-account.entity.js';
import { PoolAddress } from '../../addresses/pool-address.entity.js';
import { CreditedAccount } from './credited-account.entity.js';

const credited = table(CreditedAccount);
const emptied = table(SweptAccount);
const address = table(PoolAddress);
const noted = given('noted', { account: 'text', addressId: 'bigint', token: 'text', obstacle: 'text' });

/** A place in the order of `nextCredited`. */
export interface CreditedPlace {
  readonly account: string;
  readonly addressId: string;
  readonly token: string;
}

/** Finds the next credited accounts of all addresses after a place. */
export const nextCredited = (chainRef: string, after: CreditedPlace, limit: number) => sql`
  select ${out(credited, 'account', 'addressId', 'obstacle')}, ${credited.tokenContract.as('token')},
         ${address.addressKey.as('owner')}, exists (
           select from ${emptied}
            where ${emptied.chainRef} = ${chainRef} and ${emptied.addressId} = ${credited.addressId}
              and ${emptied.account} = ${credited.account}) ${as.boolean('hasSweeps')}
    from ${credited} join ${address} on ${address.id} = ${credited.addressId}
   where ${credited.chainRef} = ${chainRef}
     and (${credited.account}, ${credited.addressId}, ${credited.tokenContract})
       > (${after.account}, ${after.addressId}, ${after.token})
   order by ${credited.account}, ${credited.addressId}, ${credited.tokenContract} limit ${limit}`;

/** Stores why nothing of credited accounts counts for now. */
export const noteObstacles = (
  chainRef: string,
  accounts: readonly (CreditedPlace & { readonly obstacle: CreditedObstacle | null })[],
) => sql`
  update ${credited} set ${set(credited, { obstacle: noted.obstacle })} from ${unnest(noted, accounts)}
   where ${credited.chainRef} = ${chainRef} and ${credited.account} = ${noted.account}
     and ${credited.addressId} = ${noted.addressId} and ${credited.tokenContract} = ${noted.token}`;
