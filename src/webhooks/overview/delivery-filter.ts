import type { DeliveryStatus } from '../../domain/delivery-status.js';
import type { EventType } from '../../domain/event-type.js';

/** The class of the latest answer; `none` when the latest attempt got no complete one. */
export const RESPONSE_CLASSES = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;
export type ResponseClass = (typeof RESPONSE_CLASSES)[number];

/** Which deliveries of an environment staff see. Only the latest series of each event and endpoint counts. */
export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined;
  readonly merchant_id?: string | undefined;
  readonly endpoint_id?: string | undefined;
  readonly event_id?: string | undefined;
  readonly event_type?: EventType | undefined;
  readonly response?: ResponseClass | undefined;
  readonly created_gte?: Date | undefined;
  readonly created_lt?: Date | undefined;
}
