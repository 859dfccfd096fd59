import type { Environment } from '../domain/network.js';
import { Pocket } from '../ledger/pocket.entity.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { table } from '../platform/sql/table.js';
import { Delivery } from '../webhooks/deliveries/delivery.entity.js';
import { WebhookEndpoint } from '../webhooks/endpoints/webhook-endpoint.entity.js';
import { Withdrawal } from '../withdrawals/withdrawal.entity.js';
import type { NoteSubject } from './note.entity.js';

const TABLES = {
  payment_intent: table(PaymentIntent),
  withdrawal: table(Withdrawal),
  pocket: table(Pocket),
  delivery: table(Delivery),
  webhook_endpoint: table(WebhookEndpoint),
} as const satisfies Record<NoteSubject, unknown>;

/** Whether an environment has an object. */
export function hasSubject(environment: Environment, kind: NoteSubject, id: string) {
  const subject = TABLES[kind];
  return sql`
    select exists (select from ${subject} where ${subject.id} = ${id} and ${subject.environment} = ${environment})
           ${as.boolean('exists')}`;
}
