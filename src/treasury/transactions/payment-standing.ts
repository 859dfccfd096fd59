import { isHeldByRule, type Standing, type WaitingReason } from '../../domain/outgoing-payment.js';
import type { RowOf } from '../../platform/sql/sql.js';
import type { countStandings } from './payment-standing.sql.js';

const MINUTE = 60;
/** A payment should not wait longer to be signed or sent: an operator must check. */
const WAITS_LONG_AFTER_SECONDS = 10 * MINUTE;
/** A sent payment needs the finality of its network, which takes a quarter of an hour on ethereum. */
const ENDS_LATE_AFTER_SECONDS = 45 * MINUTE;
/** Standings that wait for finality. */
const WAITS_FOR_FINALITY: ReadonlySet<string> = new Set<Standing>(['not_final', 'payments_in_flight']);

/** Returns whether an order has had this standing for too long; never for one that a rule holds. */
export function isOverdue(standing: string, seconds: number): boolean {
  if (isHeldByRule(standing)) return false;
  return seconds > (WAITS_FOR_FINALITY.has(standing) ? ENDS_LATE_AFTER_SECONDS : WAITS_LONG_AFTER_SECONDS);
}

/** Orders to pay out with the same standing. */
export interface StandingCount<Reason extends string = WaitingReason> extends Omit<
  RowOf<typeof countStandings<Reason>>,
  'oldest'
> {
  /** Age of the oldest: seconds since the order, since a rule released it, or since it was signed. */
  readonly oldestSeconds: number;
}
