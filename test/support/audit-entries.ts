import type { Database } from '../../src/platform/database/database.js';
import { query } from './sql.js';

/** A decision of staff, as the audit has it. */
export interface AuditEntry {
  readonly action: string;
  readonly actor: string;
  readonly reason: string | null;
  readonly details: object;
}

/** Returns what the audit says about a deposit, a payment or a chain, the oldest first. */
export const auditEntriesOf = (database: Database, subject: string): Promise<AuditEntry[]> =>
  query(database, `select action, actor, reason, details from audit_entry where subject = $1 order by id`, [subject]);
