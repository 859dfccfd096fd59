/**
 * Statuses of a delivery. `pending` has a due time; `held` is paused until its endpoint is enabled; `dead_letter` has used
 * all attempts and can be retried; `cancelled` because its endpoint was deleted.
 */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead_letter', 'held', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
