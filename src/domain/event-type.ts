/** Every event type: `payment_intent.completed` of spec 6.1, and our additions. */
export const EVENT_TYPES = [
  'payment_intent.completed',
  'payment_intent.processing',
  'payment_intent.failed',
  'payment_intent.expired',
  'payment_intent.cancelled',
  'payment_intent.payment_received',
  'payment_intent.on_hold',
  'withdrawal.completed',
  'withdrawal.failed',
  'webhook_endpoint.disabled',
  'ping',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Subscribes an endpoint to every event type, future ones included; it must be the only item of the list. */
export const ALL_EVENT_TYPES = '*';

/** The subscription of an endpoint whose merchant names no event types (spec 6.1). */
export const DEFAULT_EVENT_TYPES = ['payment_intent.completed', 'withdrawal.completed'] as const;
