import type { Tenant } from '../../domain/tenant.js';
import { Merchant } from '../../auth/merchant.entity.js';
import { as } from '../../platform/sql/as.js';
import type { WriteParts } from '../../platform/sql/planned-write.js';
import { cte } from '../../platform/sql/relation.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { every, selected, set, table } from '../../platform/sql/table.js';
import type { IntentTimes, NewIntent } from './new-intent.js';
import { PaymentIntent } from './payment-intent.entity.js';

const intent = table(PaymentIntent);
const merchant = table(Merchant);

/** The times of an intent that the database creates now. */
export const timesOfIntent = (lifetimeSeconds: number): IntentTimes => ({
  now: sql`now()`,
  deadline: sql`now() + make_interval(secs => ${lifetimeSeconds})`,
});

/** Inserts an intent with the tolerance of its merchant, if the condition holds. Its times are SQL. */
export function insertIntent(created: NewIntent, { now, deadline }: IntentTimes, condition: SqlText): WriteParts {
  const { id, environment, status, amountCents, currency, settlementCurrency, network, token } = created;
  const { reference, metadata, apiKeyId, requestId } = created;
  const terms = {
    id,
    environment,
    status,
    amountCents,
    currency,
    settlementCurrency,
    network,
    token,
    reference,
    metadata,
    apiKeyId,
    requestId,
  };
  const statement = sql`
    insert into ${intent} ${selected(intent, {
      ...terms,
      merchantId: merchant.id,
      toleranceBps: merchant.underpaymentToleranceBps,
      createdAt: now,
      updatedAt: now,
      expiresAt: deadline,
      dueAt: deadline,
    })}
      from ${merchant} where ${merchant.id} = ${created.merchantId} and ${condition}
    returning 1`;
  const inserted = cte('inserted', statement);
  return { steps: [inserted], effect: inserted };
}

const isOwn = (id: string, { merchantId, environment }: Tenant) =>
  sql`${intent.id} = ${id} and ${intent.merchantId} = ${merchantId} and ${intent.environment} = ${environment}`;

/** Finds an intent of a tenant. */
export const findOwnIntent = (id: string, tenant: Tenant) => sql`
  select ${every(intent)} from ${intent} where ${isOwn(id, tenant)}`;

/** Finds an intent of a tenant, and checks whether its deadline has passed. */
export const readOwnIntent = (id: string, tenant: Tenant) => sql`
  select ${every(intent)}, clock_timestamp() >= ${intent.expiresAt} ${as.boolean('isDue')} from ${intent}
   where ${isOwn(id, tenant)}`;

/** Locks the intent likewise. */
export const lockOwnIntent = (id: string, tenant: Tenant) => sql`
  select ${every(intent)}, clock_timestamp() >= ${intent.expiresAt} ${as.boolean('isDue')} from ${intent}
   where ${isOwn(id, tenant)} for no key update`;

/** Locks an intent, and reads the time. */
export const lockIntent = (id: string) => lockIntents([id]);

/** Locks intents in the order of their ids, and reads the time. */
export const lockIntents = (ids: readonly string[]) => sql`
  select ${every(intent)}, clock_timestamp() ${as.time('now')} from ${intent}
   where ${intent.id} = any(${ids}) order by ${intent.id} for no key update`;

/** Moves an intent to a status, and returns it. */
export const moveIntent = (id: string, status: PaymentIntent['status']) => sql`
  update ${intent} set ${set(intent, { status, updatedAt: sql`now()` })}
   where ${intent.id} = ${id} returning ${every(intent)}`;
