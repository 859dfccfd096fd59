import type { Tenant } from '../domain/tenant.js';
import { Account } from '../ledger/account.entity.js';
import { bookEntry } from '../ledger/bookings.sql.js';
import type { NewEntry } from '../ledger/new-entry.js';
import { Pocket } from '../ledger/pocket.entity.js';
import { as } from '../platform/sql/as.js';
import type { WriteParts } from '../platform/sql/planned-write.js';
import { all, cte, defineAll } from '../platform/sql/relation.js';
import { type RowOf, sql, type SqlText } from '../platform/sql/sql.js';
import { columns, every, out, selected, table } from '../platform/sql/table.js';
import { Withdrawal } from './withdrawal.entity.js';

const withdrawal = table(Withdrawal);
const pocket = table(Pocket);
const available = table(Account, 'available');

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
  | 'apiKeyId'
  | 'requestId'
>;

/** The money that a new withdrawal holds in its pocket: the entry, and its amount in smallest units. */
export interface Hold extends NewEntry {
  readonly amount: bigint;
}

/**
 * Inserts a withdrawal that waits for its signature, and holds its money, if the condition holds. Writes nothing if the pocket
 * has another withdrawal that has not ended, or less money available.
 */
export function acceptWithdrawal(terms: NewWithdrawal, hold: Hold, condition: SqlText): WriteParts<WithdrawalRow> {
  // Waits for the pocket, then compares the balance as it is then. A withdrawal that was accepted meanwhile is found by the
  // unique index.
  const free = cte(
    'free',
    sql`select from ${pocket} join ${available} on ${available.id} = ${pocket.availableAccountId}
         where ${pocket.id} = ${terms.pocketId} and ${available.balance} >= ${hold.amount}::numeric
           and not ${hasOpenWithdrawal(terms.pocketId)} and ${condition}
           for no key update`,
  );
  const row = { ...terms, status: 'broadcasting', createdAt: acceptedAt, updatedAt: acceptedAt } as const;
  const accepted = cte(
    'accepted',
    sql`insert into ${withdrawal} ${selected(withdrawal, row)} from ${free}
        on conflict ${columns(withdrawal, 'pocketId')} where ${columns(withdrawal, 'status')} = 'broadcasting' do nothing
        returning ${every(withdrawal)}`,
  );
  const booked = bookEntry(hold.entry, hold.legs, sql`exists (select from ${accepted})`);
  return { steps: [free, accepted, ...booked], effect: accepted };
}

/** Makes the same write in a transaction that has locked the pocket, and returns the withdrawal. */
export function insertWithdrawal(terms: NewWithdrawal, hold: Hold) {
  const { steps, effect } = acceptWithdrawal(terms, hold, sql`true`);
  return sql`with ${defineAll(steps)} select ${all(effect)} from ${effect}`;
}

type WithdrawalRow = RowOf<typeof findWithdrawal>;

/** When a withdrawal is accepted. */
export const acceptedAt = sql`now()`;

/** Finds a withdrawal of a tenant. */
export const findWithdrawal = (id: string, { merchantId, environment }: Tenant) => sql`
  select ${every(withdrawal)} from ${withdrawal}
   where ${withdrawal.id} = ${id} and ${withdrawal.merchantId} = ${merchantId}
     and ${withdrawal.environment} = ${environment}`;

/** Locks a withdrawal, so that the vault does not sign it meanwhile. */
export const lockWithdrawal = (id: string) => sql`
  select ${every(withdrawal)} from ${withdrawal} where ${withdrawal.id} = ${id} for no key update`;

/** Reads a pocket of a tenant as an order finds it: its token, the money that is not held, and whether a withdrawal is open. */
export const findOrderedPocket = (id: string, tenant: Tenant) => sql`
  select ${out(pocket, 'id', 'environment', 'network', 'availableAccountId', 'heldAccountId')},
         ${pocket.token.as('symbol')}, ${pocket.tokenContract.as('contract')}, ${pocket.tokenDecimals.as('decimals')},
         ${out(pocket, 'minorUnitExponent')}, ${available.balance.asNotNull('available')},
         ${hasOpenWithdrawal(id)} ${as.boolean('hasOpenWithdrawal')}
    ${fromPocket(id, tenant)}`;

/** Locks a pocket of a tenant and its available balance. */
export const lockPocket = (id: string, tenant: Tenant) => sql`select ${fromPocket(id, tenant)} for no key update`;

const fromPocket = (id: string, { merchantId, environment }: Tenant) => sql`
  from ${pocket} join ${available} on ${available.id} = ${pocket.availableAccountId}
 where ${pocket.id} = ${id} and ${pocket.merchantId} = ${merchantId} and ${pocket.environment} = ${environment}`;

const hasOpenWithdrawal = (pocketId: string) => sql`
  exists (select from ${withdrawal} where ${withdrawal.pocketId} = ${pocketId} and ${withdrawal.status} = 'broadcasting')`;
