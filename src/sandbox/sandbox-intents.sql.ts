import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { flooredNow } from '../platform/sql/floored-now.js';
import { sql } from '../platform/sql/sql.js';
import { every, set, table } from '../platform/sql/table.js';

const intent = table(PaymentIntent);

/** Locks an intent of the sandbox. */
export const lockIntent = (id: string, merchantId: string) => sql`
  select ${every(intent)} from ${intent}
   where ${intent.id} = ${id} and ${intent.merchantId} = ${merchantId} and ${intent.environment} = 'sandbox'
     for no key update`;

/** Makes an intent expire now. A deadline that has passed stays, since payments after it are late. */
export const expireIntent = (id: string) => {
  const expiresAt = sql`least(${intent.expiresAt}, ${flooredNow})`;
  return sql`
    update ${intent} set ${set(intent, { expiresAt, dueAt: flooredNow, updatedAt: sql`now()` })} where ${intent.id} = ${id}
    returning ${every(intent)}`;
};
