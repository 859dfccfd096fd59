import { NATIVE_COIN } from '../../../domain/network.js';
import { as } from '../../../platform/sql/as.js';
import { sql } from '../../../platform/sql/sql.js';
import { out, table } from '../../../platform/sql/table.js';
import { DepositBalance } from '../deposit-balance.entity.js';
import { isFrozen } from '../frozen-balances.sql.js';
import { heldOf } from '../held-balance.sql.js';
import { SweepItem } from '../sweep-item.entity.js';

const balance = table(DepositBalance);
const item = table(SweepItem);

/** Finds the addresses of a chain that pay for a sweep now. */
export const addressesUnderSweep = (chainRef: string) => sql`
  select ${out(item, 'addressId')} from ${item}
   where ${item.chainRef} = ${chainRef} and ${item.costMax} is not null and ${item.swept} is null`;

/** Reads the coins that addresses may pay with: none of those that are frozen. */
export const usableCoins = (chainRef: string, addressIds: readonly string[]) => sql`
  select ${out(balance, 'addressId')}, ${heldOf(balance)} ${as.digits('units')} from ${balance}
   where ${balance.chainRef} = ${chainRef} and ${balance.tokenContract} = ${NATIVE_COIN}
     and ${balance.addressId} = any(${addressIds}::bigint[]) and not ${isFrozen(balance)}`;
