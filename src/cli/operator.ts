import { hostname, userInfo } from 'node:os';
import type { StaffOrder } from '../platform/audit-trail.js';
import { required, UsageError } from './command.js';

const REASON_MAX = 500;

/** The option with the reason. Commands that act on money require it. */
export const reasonOption = { type: 'string', value: 'TEXT', about: 'The reason; it is stored in the audit.' } as const;

/** Returns the account that runs this command, such as `alice@vault-1`, for the audit. */
export function operator(): string {
  return `${accountName()}@${hostname()}`;
}

/** In a container the user may have a number but no name. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Returns the account and the reason. @throws UsageError when the reason is missing or too long */
export function staffOrder(reason: string | undefined): StaffOrder {
  const given = required(reason, '--reason').trim();
  if (given.length > REASON_MAX) throw new UsageError(`--reason may have at most ${REASON_MAX} characters.`);
  return { actor: operator(), reason: given };
}
