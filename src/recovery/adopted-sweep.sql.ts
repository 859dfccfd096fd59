import { CreditedAccount } from '../payments/listener/accounts/credited-account.entity.js';
import { WatchedAccount } from '../payments/listener/accounts/watched-account.entity.js';
import { Deposit } from '../payments/deposits/deposit.entity.js';
import { as } from '../platform/sql/as.js';
import { given, unnest } from '../platform/sql/given.js';
import { raw, sql } from '../platform/sql/sql.js';
import { columns, out, table } from '../platform/sql/table.js';
import { DepositBalance } from '../treasury/sweeps/deposit-balance.entity.js';
import { SweepItem } from '../treasury/sweeps/sweep-item.entity.js';
import { Sweep } from '../treasury/sweeps/sweep.entity.js';

/** A balance of an address. */
export interface BalancePlace {
  readonly tokenContract: string;
  readonly addressId: string;
}

const sweep = table(Sweep);
const item = table(SweepItem, 'item');
const balance = table(DepositBalance, 'balance');
const stored = table(DepositBalance);
const deposit = table(Deposit);
const watched = table(WatchedAccount);
const credited = table(CreditedAccount);
const emptied = given('emptied', { account: 'text', addressId: 'bigint', token: 'text' });
const place = given('place', { tokenContract: 'text', addressId: 'bigint' });

/** Locks the sweeps of these balances that have not ended. */
export const lockOpenSweeps = (chainRef: string, places: readonly BalancePlace[]) => sql`
  select ${out(sweep, 'id')}, ${sweep.signedAt} is not null ${as.boolean('isSigned')} from ${sweep}
   where ${sweep.id} in (select ${item.sweepId} from ${item}
                           join ${unnest(place, places)}
                             on ${item.tokenContract} = ${place.tokenContract} and ${item.addressId} = ${place.addressId}
                          where ${item.chainRef} = ${chainRef} and ${item.swept} is null)
   order by ${sweep.id} for update`;

/** Finds the balances in sweeps that have not ended and that these addresses pay for. */
export const findOwnSweeps = (chainRef: string, addressIds: readonly string[]) => sql`
  select ${out(item, 'tokenContract')}, ${item.addressId.as('addressId')} from ${item}
   where ${item.chainRef} = ${chainRef} and ${item.addressId} = any(${addressIds}::bigint[])
     and ${item.costMax} is not null and ${item.swept} is null`;

/** Adds the missing balances with nothing received. */
export const insertEmptyBalances = (chainRef: string, places: readonly BalancePlace[]) => sql`
  insert into ${stored} ${columns(stored, 'chainRef', 'tokenContract', 'addressId', 'received')}
  select ${chainRef}, ${place.tokenContract}, ${place.addressId}, 0 from ${unnest(place, places)}
   order by ${place.tokenContract}, ${place.addressId}
  on conflict ${columns(stored, 'chainRef', 'tokenContract', 'addressId')} do nothing`;

/** Credits accounts that sweeps have emptied, so that the deposits to them are found. */
export const creditEmptied = (
  chainRef: string,
  accounts: readonly { readonly account: string; readonly addressId: string; readonly token: string }[],
) => sql`
  insert into ${credited} ${columns(credited, 'chainRef', 'account', 'addressId', 'tokenContract')}
  select ${chainRef}, ${emptied.account}, ${emptied.addressId}, ${emptied.token} from ${unnest(emptied, accounts)}
  on conflict do nothing`;

/**
 * Locks balances: what lies there by the books, whether any deposit to it is recorded, final or not, and whether its account
 * is watched.
 */
export const lockPlaces = (chainRef: string, places: readonly BalancePlace[]) => sql`
  select ${out(balance, 'tokenContract', 'addressId')}, ${balance.received} - ${balance.swept} ${as.digits('units')},
         ${balance.received} > 0 or exists (
           select from ${deposit}
            where ${deposit.chainRef} = ${balance.chainRef} and ${deposit.tokenContract} = ${balance.tokenContract}
              and ${deposit.addressId} = ${balance.addressId} and ${deposit.status} = 'seen') ${as.boolean('isKnown')},
         exists (select from ${watched}
                  where ${watched.chainRef} = ${balance.chainRef} and ${watched.addressId} = ${balance.addressId}
                    and ${watched.tokenContract} = ${balance.tokenContract}) ${as.boolean('isWatched')}
    from ${unnest(place, places)}
    join ${balance}
      on ${balance.chainRef} = ${chainRef} and ${balance.tokenContract} = ${place.tokenContract}
     and ${balance.addressId} = ${place.addressId}
   order by ${balance.tokenContract}, ${balance.addressId} for no key update of ${raw('balance')}`;
