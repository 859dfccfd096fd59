import { hostname, userInfo } from 'node:os';
import type { StaffOrder } from '../platform/audit-trail.js';
import { required, UsageError } from './command.js';

const REASON_MAX = 500;

/** The option that says why; whoever acts on money gives it. */
export const reasonOption = { type: 'string', value: 'TEXT', about: 'Why; it is kept in the audit.' } as const;

/** Who runs this command, as the machine knows them: `alice@vault-1`. It stands in the audit beside what they did. */
export function operator(): string {
  return `${accountName()}@${hostname()}`;
}

/** In a container the user may have a number and no name. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Who acts and why. @throws UsageError when the reason is missing or far too long */
export function staffOrder(reason: string | undefined): StaffOrder {
  const given = required(reason, '--reason').trim();
  if (given.length > REASON_MAX) throw new UsageError(`--reason may have ${REASON_MAX} characters.`);
  return { actor: operator(), reason: given };
}
