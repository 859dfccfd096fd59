import { Merchant } from '../auth/merchant.entity.js';
import type { Environment } from '../domain/network.js';
import { Chain } from '../offers/chain.entity.js';
import { Deposit, type DepositHolding } from '../payments/deposits/deposit.entity.js';
import { DirtyIntent } from '../payments/intents/dirty-intent.entity.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { isBookedAndReorged } from '../payments/deposits/reorged-deposit.sql.js';
import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';

const merchant = table(Merchant);
const deposit = table(Deposit);
const chain = table(Chain);
const mark = table(DirtyIntent, 'mark');
const intent = table(PaymentIntent, 'intent');

/** Finds the names of merchants. */
export const merchantNames = (ids: readonly string[]) => sql`
  select ${out(merchant, 'id', 'name')} from ${merchant} where ${merchant.id} = any(${ids})`;

/** Reads a page of the intents of an environment whose settlement is quarantined. */
export const quarantinedPage = (environment: Environment, after: string, limit: number) => sql`
  select ${mark.intentId.as('id')}, ${mark.quarantinedAt.asNotNull('since')}, ${mark.lastError.as('error')},
         ${out(intent, 'merchantId', 'network', 'token')}
    from ${mark} join ${intent} on ${intent.id} = ${mark.intentId}
   where ${mark.quarantinedAt} is not null and ${intent.environment} = ${environment} and ${mark.intentId} > ${after}
   order by ${mark.intentId} limit ${limit}`;

/** Counts the held deposits of an environment by their holding. */
export const countHeld = (environment: Environment) => sql`
  select ${deposit.heldAs} ${as.textOf<DepositHolding>()('heldAs')}, count(*)::int ${as.int('count')}
    from ${deposit} join ${chain} on ${chain.id} = ${deposit.chainRef}
   where ${deposit.heldAs} is not null and ${chain.environment} = ${environment} group by ${deposit.heldAs}`;

/** Counts the deposits of an environment that are booked otherwise than on their chain. */
export const countReorgedIn = (environment: Environment) => sql`
  select count(*)::int ${as.int('count')} from ${deposit} join ${chain} on ${chain.id} = ${deposit.chainRef}
   where ${chain.environment} = ${environment} and (${isBookedAndReorged}
      or (${deposit.goneAt} is null and ${deposit.reversedAt} is not null and ${deposit.restoredAt} is null))`;

/** Counts the intents of an environment whose settlement is quarantined. */
export const countQuarantined = (environment: Environment) => sql`
  select count(*)::int ${as.int('count')} from ${mark} join ${intent} on ${intent.id} = ${mark.intentId}
   where ${mark.quarantinedAt} is not null and ${intent.environment} = ${environment}`;
