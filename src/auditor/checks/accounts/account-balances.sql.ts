import { PoolAddress } from '../../../payments/addresses/pool-address.entity.js';
import { Deposit } from '../../../payments/deposits/deposit.entity.js';
import { CreditedAccount } from '../../../payments/listener/accounts/credited-account.entity.js';
import { as } from '../../../platform/sql/as.js';
import { define, subselect } from '../../../platform/sql/relation.js';
import { sql } from '../../../platform/sql/sql.js';
import { table } from '../../../platform/sql/table.js';
import { SweptAccount } from '../../../treasury/sweeps/expiring/swept-account.entity.js';
import { SweepItem } from '../../../treasury/sweeps/sweep-item.entity.js';
import { isOutOfBooks } from '../booked-out.sql.js';

const credited = table(CreditedAccount);
const address = table(PoolAddress);
const deposit = table(Deposit);
const emptied = table(SweptAccount, 'emptied');
const item = table(SweepItem, 'item');

const brought = subselect(
  'brought',
  sql`select coalesce(sum(${deposit.amount}), 0) ${as.digits('units')} from ${deposit}
       where ${deposit.addressId} = ${credited.addressId} and ${deposit.chainRef} = ${credited.chainRef}
         and ${deposit.account} = ${credited.account} and ${deposit.tokenContract} = ${credited.tokenContract}
         and ${deposit.status} = 'confirmed' and not ${isOutOfBooks(deposit)}`,
);
const taken = subselect(
  'taken',
  sql`select coalesce(sum(${item.swept}), 0) ${as.digits('units')},
             coalesce(bool_or(${item.swept} is null), false) ${as.boolean('isMoving')}
        from ${emptied}
        join ${item} on ${item.sweepId} = ${emptied.sweepId} and ${item.position} = ${emptied.position}
       where ${emptied.addressId} = ${credited.addressId} and ${emptied.chainRef} = ${credited.chainRef}
         and ${emptied.account} = ${credited.account} and ${emptied.tokenContract} = ${credited.tokenContract}`,
);

/** Reads the credited accounts of addresses with what final deposits and ended sweeps leave in each. */
export const creditedAccountsOf = (chainRef: string, addressIds: readonly string[]) => sql`
  select ${credited.account.as('account')}, ${credited.tokenContract.as('token')}, ${address.addressKey.as('owner')},
         ${brought.units} - ${taken.units} ${as.digits('left')}, ${taken.isMoving.as('isMoving')}
    from ${credited} join ${address} on ${address.id} = ${credited.addressId}
   cross join lateral ${define(brought)} cross join lateral ${define(taken)}
   where ${credited.chainRef} = ${chainRef} and ${credited.addressId} = any(${addressIds}::bigint[])`;
