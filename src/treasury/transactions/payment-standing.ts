import { isHeldByRule, type Standing } from '../../domain/withdrawal.js';

const MINUTE = 60;
/** Nothing that waits to be signed or sent should take longer: somebody must look. */
const WAITS_LONG_AFTER_SECONDS = 10 * MINUTE;
/** What is sent needs the network's finality, which takes ethereum a quarter of an hour. */
const ENDS_LATE_AFTER_SECONDS = 45 * MINUTE;
/** These places wait for that finality. */
const WAITS_FOR_FINALITY: ReadonlySet<string> = new Set<Standing>(['not_final', 'payments_in_flight']);

/** SQL: the place of an order to pay out in this table that has not ended, as `Standing` names it. */
export const standingColumn = (table: 'withdrawal' | 'deposit_return'): string => `
  case when ${table}.signed_at is null then coalesce(${table}.waiting_reason, 'not_looked_at')
       when ${table}.tx_hash is null then 'not_sent' else 'not_final' end`;

/** True when an order has stood at this place for longer than all is well; of what a rule holds that can never be said. */
export function isOverdue(standing: string, seconds: number): boolean {
  if (isHeldByRule(standing)) return false;
  return seconds > (WAITS_FOR_FINALITY.has(standing) ? ENDS_LATE_AFTER_SECONDS : WAITS_LONG_AFTER_SECONDS);
}

/** Orders to pay out that stand at the same place. */
export interface StandingCount<Place extends string = Standing> {
  readonly standing: Place;
  readonly count: number;
  /** Of the oldest: seconds since the order, since a rule that held it let it go, or since it was signed. */
  readonly oldestSeconds: number;
}
