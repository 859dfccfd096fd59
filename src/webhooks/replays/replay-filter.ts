import { createHash } from 'node:crypto';
import type { DeliveryStatus } from '../../domain/delivery-status.js';
import type { DeliveryFilter } from '../overview/delivery-filter.js';
import { statusesOf } from '../overview/delivery-walks.sql.js';
import type { ReplayVerb } from './replay-verb.js';

/** What a job sends: the deliveries of a filter, or those of a selection. Times are ISO 8601, since it is kept as JSON. */
export interface ReplayFilter extends Omit<DeliveryFilter, 'created_gte' | 'created_lt'> {
  readonly created_gte?: string | undefined;
  readonly created_lt?: string | undefined;
  /** A selection of deliveries; no other field limits it further. */
  readonly delivery_ids?: readonly string[] | undefined;
}

/** The filter with its times, for statements. */
export function deliveryFilterOf({
  delivery_ids: _ids,
  created_gte: from,
  created_lt: until,
  ...rest
}: ReplayFilter): DeliveryFilter {
  return {
    ...rest,
    ...(from !== undefined && { created_gte: new Date(from) }),
    ...(until !== undefined && { created_lt: new Date(until) }),
  };
}

/** Identifies verb and filter, so that the same order twice is one job. */
export function filterKeyOf(verb: ReplayVerb, filter: ReplayFilter): string {
  const fields = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, Array.isArray(value) ? value.toSorted((a, b) => (a < b ? -1 : 1)) : value])
    .toSorted(([a], [b]) => String(a).localeCompare(String(b)));
  return createHash('sha256')
    .update(JSON.stringify([verb, fields]))
    .digest('hex');
}

/**
 * The statuses that a job walks, in this order. `pending` comes after `held`, because enabling an endpoint makes held
 * deliveries pending; a delivery that ends meanwhile is met once more and skipped, since the job is noted on it.
 */
const STEPS = {
  resend: ['held', 'pending', 'dead_letter', 'delivered'],
  recover: ['held', 'pending', 'dead_letter'],
} as const satisfies Partial<Record<ReplayVerb, readonly DeliveryStatus[]>>;
export type ReplayStep = (typeof STEPS)[keyof typeof STEPS][number];

/** Returns the statuses that a job of this verb walks for a filter, in order. */
export function stepsOf(verb: Exclude<ReplayVerb, 'send_missing'>, filter: ReplayFilter): readonly ReplayStep[] {
  const found = filter.delivery_ids === undefined ? statusesOf(filter) : null;
  return STEPS[verb].filter((step) => found === null || found.includes(step));
}
