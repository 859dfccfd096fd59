import { Deposit } from '../../../payments/deposits/deposit.entity.js';
import { WatchedAccount } from '../../../payments/listener/accounts/watched-account.entity.js';
import { as } from '../../../platform/sql/as.js';
import { define, subselect } from '../../../platform/sql/relation.js';
import { type RowOf, sql } from '../../../platform/sql/sql.js';
import { out, table } from '../../../platform/sql/table.js';
import { SweepItem } from '../sweep-item.entity.js';

const watched = table(WatchedAccount);
const deposit = table(Deposit);
const item = table(SweepItem);

const leftIn = sql`
  select (select coalesce(sum(${deposit.amount}), 0) from ${deposit}
           where ${deposit.addressId} = ${watched.addressId} and ${deposit.chainRef} = ${watched.chainRef}
             and ${deposit.account} = ${watched.account} and ${deposit.tokenContract} = ${watched.tokenContract}
             and ${deposit.status} = 'confirmed')
       - (select coalesce(sum(${item.swept}), 0) from ${item}
           where ${item.addressId} = ${watched.addressId} and ${item.chainRef} = ${watched.chainRef}
             and ${item.opensAccount} is not null and ${item.account} = ${watched.account}) ${as.digits('units')}`;
const left = subselect('left_there', leftIn);

/** Reads what lies in the other accounts of addresses: their final deposits less their sweeps, where that is anything. */
export const otherBalances = (chainRef: string, addressIds: readonly string[]) => sql`
  select ${watched.account.as('account')}, ${watched.tokenContract.as('token')}, ${out(watched, 'addressId')},
         ${left.units.as('units')}
    from ${watched} cross join lateral ${define(left)}
   where ${watched.chainRef} = ${chainRef} and ${watched.addressId} = any(${addressIds}::bigint[]) and ${watched.isOther}
     and ${left.units} > 0`;

/** What lies in one of them. */
export type OtherBalance = RowOf<typeof otherBalances>;
