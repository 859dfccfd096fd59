import { oneOf, searchOf, text, time } from '../../ui/search-params.ts';
import type { components } from '../../api/schema.d.ts';

export type Delivery = components['schemas']['Delivery'];

export const STATUSES = ['pending', 'delivered', 'dead_letter', 'held', 'cancelled'] as const;
export const RESPONSES = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;
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

/** The filters of a list of deliveries, as the service takes them. */
export interface DeliveryFilters {
  readonly status: (typeof STATUSES)[number];
  readonly response: (typeof RESPONSES)[number];
  readonly event_type: (typeof EVENT_TYPES)[number];
  readonly endpoint_id: string;
  readonly merchant_id: string;
  readonly event_id: string;
  readonly created_gte: string;
  readonly created_lt: string;
}

/** The search parameters of the list. */
export interface DeliverySearch extends DeliveryFilters {
  readonly after: string;
  readonly dialog: string;
  readonly since: string;
}

export const deliverySearch = searchOf<DeliverySearch>({
  status: oneOf(STATUSES),
  response: oneOf(RESPONSES),
  event_type: oneOf(EVENT_TYPES),
  endpoint_id: text,
  merchant_id: text,
  event_id: text,
  created_gte: time,
  created_lt: time,
  after: text,
  dialog: text,
  since: time,
});
