import { suggestsWrongSecret } from '../../domain/delivery-cause.js';
import type { DeliveryStatus } from '../../domain/delivery-status.js';
import type { ReplayVerb } from './replay-verb.js';

/** Deliveries of one endpoint with the same status and cause. */
export interface MatchingGroup {
  readonly endpointId: string;
  readonly enabled: boolean;
  readonly isDeleted: boolean;
  readonly status: DeliveryStatus;
  readonly responseStatus: number | null;
  readonly count: number;
}

/** What staff should know before they begin a job, most important first. */
export const REPLAY_WARNINGS = [
  'nothing_to_send',
  'endpoint_disabled',
  'probably_wrong_secret',
  'sends_delivered_again',
] as const;
export type ReplayWarning = (typeof REPLAY_WARNINGS)[number];

const MANY = 3;

/** Whether a job of this verb sends a delivery in this status. A cancelled one has no endpoint any more. */
export function isSent(verb: ReplayVerb, status: DeliveryStatus): boolean {
  if (status === 'cancelled') return false;
  return verb === 'resend' || status !== 'delivered';
}

/** Returns the warnings of a preview. */
export function warningsOf(verb: ReplayVerb, groups: readonly MatchingGroup[]): ReplayWarning[] {
  const wanted = groups.filter((group) => isSent(verb, group.status));
  const sent = wanted.filter((group) => group.enabled && !group.isDeleted);
  const unsure = sent.filter((group) => group.status !== 'delivered' && suggestsWrongSecret({ ...group, fault: null }));
  const refused = unsure.reduce((sum, group) => sum + group.count, 0);
  const holds: Readonly<Record<ReplayWarning, boolean>> = {
    nothing_to_send: sent.length === 0,
    endpoint_disabled: wanted.some((group) => !group.enabled && !group.isDeleted),
    probably_wrong_secret: refused >= MANY,
    sends_delivered_again: sent.some((group) => group.status === 'delivered'),
  };
  return REPLAY_WARNINGS.filter((warning) => holds[warning]);
}
