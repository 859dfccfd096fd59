import { PoolAddress } from '../../../payments/addresses/pool-address.entity.js';
import { Deposit } from '../../../payments/deposits/deposit.entity.js';
import { CreditedAccount } from '../../../payments/listener/accounts/credited-account.entity.js';
import { as } from '../../../platform/sql/as.js';
import { given, unnest } from '../../../platform/sql/given.js';
import { define, subselect } from '../../../platform/sql/relation.js';
import { type RowOf, sql } from '../../../platform/sql/sql.js';
import { out, set, table } from '../../../platform/sql/table.js';
import { REASON, RETRY_AFTER, TRIES } from '../sweep-failures.sql.js';
import { SweepItem } from '../sweep-item.entity.js';
import { SweptAccount } from './swept-account.entity.js';

const credited = table(CreditedAccount);
const address = table(PoolAddress);
const deposit = table(Deposit);
const item = table(SweepItem);
const emptied = table(SweptAccount);
const blocked = given('blocked', { account: 'text', addressId: 'bigint', token: 'text', obstacle: 'text' });

const leftIn = sql`
  select (select coalesce(sum(${deposit.amount}), 0) from ${deposit}
           where ${deposit.addressId} = ${credited.addressId} and ${deposit.chainRef} = ${credited.chainRef}
             and ${deposit.account} = ${credited.account} and ${deposit.tokenContract} = ${credited.tokenContract}
             and ${deposit.status} = 'confirmed')
       - (select coalesce(sum(${item.swept}), 0) from ${emptied}
            join ${item} on ${item.sweepId} = ${emptied.sweepId} and ${item.position} = ${emptied.position}
           where ${emptied.addressId} = ${credited.addressId} and ${emptied.chainRef} = ${credited.chainRef}
             and ${emptied.account} = ${credited.account}
             and ${emptied.tokenContract} = ${credited.tokenContract}) ${as.digits('units')}`;
const left = subselect('left_there', leftIn);

/**
 * Reads the credited accounts of addresses: what lies there by the books (final deposits less sweeps), and whether a sweep may
 * take it now.
 */
export const creditedBalances = (chainRef: string, addressIds: readonly string[]) => sql`
  select ${out(credited, 'account', 'addressId', 'failures')}, ${credited.tokenContract.as('token')},
         ${address.addressKey.as('owner')}, ${left.units.as('units')},
         ${credited.obstacle} is null and ${credited.failures} < ${TRIES}
           and (${credited.retryAt} is null or ${credited.retryAt} <= now()) ${as.boolean('isSweepable')}
    from ${credited} join ${address} on ${address.id} = ${credited.addressId} cross join lateral ${define(left)}
   where ${credited.chainRef} = ${chainRef} and ${credited.addressId} = any(${addressIds}::bigint[])`;

/** What lies in one of them. */
export type CreditedBalance = RowOf<typeof creditedBalances>;

/** Reads what lies in credited accounts that cannot be swept before an operator or the account's issuer does something. */
export const blockedBalances = sql`
  select ${out(credited, 'chainRef', 'tokenContract', 'addressId')}, ${left.units.as('units')},
         'Token account ' || ${credited.account} || ': ' || case ${credited.obstacle}
           when 'frozen' then 'its issuer has frozen it.'
           when 'delegated' then 'another key may take its funds.'
           when 'foreign_close_authority' then 'another key may close it.'
           when 'replaced' then 'it belongs to another key by now, or holds another token.'
           else ${REASON} end ${as.text('reason')}
    from ${credited} cross join lateral ${define(left)}
   where (${credited.obstacle} is not null or ${credited.failures} >= ${TRIES}) and ${left.units} > 0`;

const nextTry = sql`now() + (${credited.failures} + 1) * ${RETRY_AFTER}::interval`;

/** Counts a failure for each credited account that an ended sweep did not empty, and resets the count of those that it emptied. */
export const countAccountFailures = (sweepId: string) => sql`
  update ${credited}
     set ${set(credited, {
       failures: sql`case when ${item.swept} > 0 then 0 else ${credited.failures} + 1 end`,
       retryAt: sql`case when ${item.swept} > 0 then null else ${nextTry} end`,
     })}
    from ${emptied} join ${item} on ${item.sweepId} = ${emptied.sweepId} and ${item.position} = ${emptied.position}
   where ${emptied.sweepId} = ${sweepId} and ${credited.chainRef} = ${emptied.chainRef}
     and ${credited.account} = ${emptied.account} and ${credited.addressId} = ${emptied.addressId}
     and ${credited.tokenContract} = ${emptied.tokenContract}`;

/** Stores why credited accounts cannot be swept; a failure is counted where they hold less than the books say. */
export const blockAccounts = (
  chainRef: string,
  accounts: readonly {
    readonly account: string;
    readonly addressId: string;
    readonly token: string;
    readonly obstacle: string | null;
  }[],
) => sql`
  update ${credited}
     set ${set(credited, {
       obstacle: blocked.obstacle,
       failures: sql`${credited.failures} + case when ${blocked.obstacle} is null then 1 else 0 end`,
       retryAt: nextTry,
     })}
    from ${unnest(blocked, accounts)}
   where ${credited.chainRef} = ${chainRef} and ${credited.account} = ${blocked.account}
     and ${credited.addressId} = ${blocked.addressId} and ${credited.tokenContract} = ${blocked.token}`;

/** Makes the credited accounts due again whose sweeps have failed: all of them, or those of one address. */
export const retryAccounts = (addressKey: string | null) => sql`
  update ${credited} set ${set(credited, { failures: 0, retryAt: null })} from ${address}
   where ${address.id} = ${credited.addressId} and ${credited.failures} >= ${TRIES}
     and (${addressKey}::text is null or ${address.addressKey} = ${addressKey})
  returning ${out(credited, 'account')}`;
