import type { AddressFamily, Environment } from '../../domain/network.js';
import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { raw, sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { PoolAddress } from '../addresses/pool-address.entity.js';

/** In no key. */
export const SEPARATOR = ',';

const address = table(PoolAddress);

const addressesAbove = (environment: Environment, family: AddressFamily, id: number, limit: number) => sql`
  select ${out(address, 'id', 'addressKey')} from ${address}
   where ${address.environment} = ${environment} and ${address.family} = ${family} and ${address.id} > ${id}
   order by ${address.id} limit ${limit}`;
const slice = subselect('slice', addressesAbove);

/** Reads the next keys of a family in an environment in one text, and the id of the last one. */
export const nextKeys = (environment: Environment, family: AddressFamily, above: number, limit: number) => sql`
  select max(${slice.id}) ${as.digitsOrNull('lastId')},
         string_agg(${slice.addressKey}, ${raw(`'${SEPARATOR}'`)}) ${as.textOrNull('keys')}
    from ${define(slice, environment, family, above, limit)}`;
