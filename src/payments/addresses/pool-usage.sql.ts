import type { Environment } from '../../domain/network.js';
import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { Deposit } from '../deposits/deposit.entity.js';
import { PoolAddress } from './pool-address.entity.js';

const address = table(PoolAddress);
const deposit = table(Deposit);

const paidAddresses = sql`select distinct ${out(deposit, 'addressId')} from ${deposit}`;
const paid = subselect('paid', paidAddresses);

/** Counts the addresses of each family in an environment. It reads all of them. */
export const poolUsage = (environment: Environment) => sql`
  select ${out(address, 'family')},
         count(*) filter (where ${address.intentId} is null and ${address.retiredAt} is null) ${as.digits('free')},
         count(${address.intentId}) ${as.digits('assigned')},
         count(${paid.addressId}) ${as.digits('paid')},
         count(${address.retiredAt}) ${as.digits('retired')},
         count(*) filter (where ${address.assignedAt} > now() - interval '7 days') ${as.digits('assignedIn7Days')}
    from ${address} left join ${define(paid)} on ${paid.addressId} = ${address.id}
   where ${address.environment} = ${environment} group by ${address.family} order by ${address.family}`;
