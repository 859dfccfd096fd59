import { z } from 'zod';
import type { EventType } from '../../domain/event-type.js';
import { eventExample, eventSchemaOf } from '../../events/events.schema.js';
import type { WebhookTable } from '../../http/openapi-webhooks.js';
import { intentExample } from '../../payments/intents/payment-intent.examples.js';
import { type PaymentIntentObject, paymentIntentSchema } from '../../payments/intents/payment-intent.schema.js';
import { withdrawalExample } from '../../withdrawals/withdrawal.examples.js';
import { withdrawalSchema } from '../../withdrawals/withdrawal.schema.js';
import { webhookEndpointExample } from '../../webhooks/endpoints/webhook-endpoint.examples.js';
import { webhookEndpointSchema } from '../../webhooks/endpoints/webhook-endpoint.schema.js';

const failed: PaymentIntentObject = {
  ...intentExample.processing,
  status: 'failed',
  failure_code: 'underpaid',
  received_amount_cents: 1000,
  remaining_amount_cents: 1500,
  received_crypto_amount: '10000000',
};

const onHold: PaymentIntentObject = {
  ...intentExample.processing,
  received_amount_cents: 0,
  remaining_amount_cents: 2500,
  received_crypto_amount: '0',
  payments: intentExample.completed.payments.map((payment) => ({ ...payment, status: 'on_hold' })),
};

const INTENT_EVENTS: readonly (readonly [EventType, string, PaymentIntentObject])[] = [
  ['payment_intent.completed', 'An intent was paid, and the payment is final.', intentExample.completed],
  [
    'payment_intent.processing',
    'A payment was detected on chain, or the intent was confirmed.',
    intentExample.processing,
  ],
  ['payment_intent.payment_received', 'A transfer reached the pocket, late ones included.', intentExample.completed],
  ['payment_intent.on_hold', 'A transfer became final and is on hold.', onHold],
  ['payment_intent.failed', 'Less than the amount arrived in time, or it is on hold.', failed],
  ['payment_intent.expired', 'Nothing but dust arrived in time.', { ...intentExample.addressed, status: 'expired' }],
  ['payment_intent.cancelled', 'Staff cancelled the intent.', { ...intentExample.created, status: 'cancelled' }],
];

const WITHDRAWAL_EVENTS = [
  ['withdrawal.completed', "A withdrawal's transaction is final.", withdrawalExample.completed],
  ['withdrawal.failed', 'A withdrawal failed; amount and fee are back in the pocket.', withdrawalExample.failed],
] as const satisfies readonly (readonly [EventType, string, object])[];

const ENDPOINT_EVENTS: readonly (readonly [EventType, string])[] = [
  ['webhook_endpoint.disabled', 'An endpoint was disabled after days of failed deliveries.'],
  ['ping', 'A test event that you requested.'],
];

/** The section `webhooks` of the API document: every event with its schema and an example. */
export const WEBHOOK_EXAMPLES: WebhookTable = Object.fromEntries([
  ...INTENT_EVENTS.map(([type, summary, data]) => [
    type,
    {
      summary,
      schema: eventSchemaOf(z.literal(type), paymentIntentSchema),
      example: { ...eventExample, type, event_type: type, data },
    },
  ]),
  ...WITHDRAWAL_EVENTS.map(([type, summary, data]) => [
    type,
    {
      summary,
      schema: eventSchemaOf(z.literal(type), withdrawalSchema),
      example: { ...eventExample, type, event_type: type, data },
    },
  ]),
  ...ENDPOINT_EVENTS.map(([type, summary]) => [
    type,
    {
      summary,
      schema: eventSchemaOf(z.literal(type), webhookEndpointSchema),
      example: { ...eventExample, type, event_type: type, data: webhookEndpointExample.endpoint },
    },
  ]),
]);
