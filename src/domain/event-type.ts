/** Every kind of event that is emitted: one of spec 6.1 and those that api.md 4 adds. */
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

/** Stands for every kind, also those that come later; alone in an endpoint's list. */
export const ALL_EVENT_TYPES = '*';

/** What an endpoint is told when its merchant names no event types (spec 6.1). */
export const DEFAULT_EVENT_TYPES = ['payment_intent.completed', 'withdrawal.completed'] as const;
