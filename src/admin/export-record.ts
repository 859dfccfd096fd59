import type { AuditedAction } from '../domain/audited-action.js';
import { recordAction } from '../platform/audit-trail.js';
import type { Database } from '../platform/database/database.js';
import { actorOf, type StaffCaller } from '../staff/staff-access.js';

/** An export, and the filter of its rows. */
interface StaffExport {
  readonly action: Extract<AuditedAction, `${string}.export`>;
  /** The object whose rows are exported; the environment without one. */
  readonly subject?: string;
  readonly filter?: object;
}

/**
 * Records that staff export rows, in a transaction of its own: an export changes nothing that the entry could commit with. Call
 * it before the answer begins, since afterwards it could not become an error.
 */
export async function recordExport(
  database: Database,
  staff: StaffCaller,
  { action, subject = staff.environment, filter = {} }: StaffExport,
): Promise<void> {
  const details = Object.fromEntries(
    Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, textOf(value)]])),
  );
  await database.transaction((tx) => recordAction(tx, { ...actorOf(staff), action, subject, reason: null, details }));
}

/** A value of a filter as the audit keeps it: of an address its key. */
function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' && value !== null && 'key' in value ? String(value.key) : String(value);
}
