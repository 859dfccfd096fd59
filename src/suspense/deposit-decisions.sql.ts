import { Merchant } from '../auth/merchant.entity.js';
import { Account } from '../ledger/account.entity.js';
import { Entry } from '../ledger/entry.entity.js';
import { Posting } from '../ledger/posting.entity.js';
import { Deposit, type DepositHolding } from '../payments/deposits/deposit.entity.js';
import { AuditEntry } from '../platform/audit-entry.entity.js';
import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { out, set, table } from '../platform/sql/table.js';

/** The account that a reorged deposit is booked out of. */
export type ReversedFrom = 'suspense' | 'frozen' | 'receivable';

const deposit = table(Deposit);
const merchant = table(Merchant);
const audit = table(AuditEntry);
const entry = table(Entry);
const posting = table(Posting);
const account = table(Account);

/** Finds a merchant. */
export const findMerchant = (id: string) =>
  sql`select ${out(merchant, 'id')} from ${merchant} where ${merchant.id} = ${id}`;

/** Sets where a deposit is held. */
export const setHolding = (id: string, heldAs: DepositHolding | null) => sql`
  update ${deposit} set ${set(deposit, { heldAs })} where ${deposit.id} = ${id}`;

/** Marks a deposit as booked out, and no longer booked in again. */
export const markReversed = (id: string) => sql`
  update ${deposit} set ${set(deposit, { reversedAt: sql`now()`, restoredAt: null, heldAs: null })}
   where ${deposit.id} = ${id}`;

/** Marks a deposit as booked in again. */
export const markRestored = (id: string, heldAs: DepositHolding | null) => sql`
  update ${deposit} set ${set(deposit, { restoredAt: sql`now()`, heldAs })} where ${deposit.id} = ${id}`;

/** Counts how often a deposit was reversed. */
export const countReversals = (depositId: string) => sql`
  select count(*)::int ${as.int('count')} from ${audit}
   where ${audit.subject} = ${depositId} and ${audit.action} = 'deposit.reverse'`;

/** Finds the kind of the account that the reversal of a deposit took money from. */
export const kindOfSource = (reference: string) => sql`
  select ${account.kind} ${as.textOf<ReversedFrom>()('kind')} from ${entry} join ${posting} on ${posting.entryId} = ${entry.id}
    join ${account} on ${account.id} = ${posting.accountId}
   where ${entry.reference} = ${reference} and ${posting.amount} < 0`;
