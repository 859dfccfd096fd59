import type { Tenant } from '../domain/tenant.js';
import { Account } from '../ledger/account.entity.js';
import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { every, table, values } from '../platform/sql/table.js';
import { Withdrawal } from './withdrawal.entity.js';

const withdrawal = table(Withdrawal);
const account = table(Account);

/** The terms of a new withdrawal. */
export type NewWithdrawal = Pick<
  Withdrawal,
  | 'id'
  | 'merchantId'
  | 'environment'
  | 'pocketId'
  | 'chainRef'
  | 'network'
  | 'token'
  | 'tokenContract'
  | 'tokenDecimals'
  | 'minorUnitExponent'
  | 'amountCents'
  | 'amount'
  | 'networkFeeCents'
  | 'feeAmount'
  | 'destination'
  | 'destinationKey'
  | 'feeStrategy'
  | 'reference'
>;

/** Inserts a withdrawal that waits for its signature, and returns it. */
export const insertWithdrawal = (terms: NewWithdrawal) => sql`
  insert into ${withdrawal}
  ${values(withdrawal, { ...terms, status: 'broadcasting', createdAt: sql`now()`, updatedAt: sql`now()` })}
  returning ${every(withdrawal)}`;

/** Finds a withdrawal of a tenant. */
export const findWithdrawal = (id: string, { merchantId, environment }: Tenant) => sql`
  select ${every(withdrawal)} from ${withdrawal}
   where ${withdrawal.id} = ${id} and ${withdrawal.merchantId} = ${merchantId}
     and ${withdrawal.environment} = ${environment}`;

/** Locks a withdrawal, so that the vault does not sign it meanwhile. */
export const lockWithdrawal = (id: string) => sql`
  select ${every(withdrawal)} from ${withdrawal} where ${withdrawal.id} = ${id} for no key update`;

/** Reads the money in a pocket that is not held for withdrawals, and whether a withdrawal of it has not ended. */
export const stateOfPocket = (pocketId: string, availableAccountId: number) => sql`
  select ${account.balance.asNotNull('available')},
         exists (select from ${withdrawal} where ${withdrawal.pocketId} = ${pocketId}
                    and ${withdrawal.status} = 'broadcasting') ${as.boolean('hasOpenWithdrawal')}
    from ${account} where ${account.id} = ${availableAccountId}`;
