import { Chain } from '../../offers/chain.entity.js';
import { PoolAddress } from '../../payments/addresses/pool-address.entity.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';

const chain = table(Chain);
const address = table(PoolAddress);

/** Finds which of these keys are addresses of a chain's environment and family, with their ids. */
export const findAddresses = (chainRef: string, keys: readonly string[]) => sql`
  select ${out(address, 'id', 'addressKey')} from ${chain}
    join ${address} on ${address.environment} = ${chain.environment} and ${address.family} = ${chain.family}
   where ${chain.id} = ${chainRef} and ${address.addressKey} = any(${keys})`;
