import { AuditEntry } from './audit-entry.entity.js';
import type { Tx } from './database/database.js';

/** The author of an action, and the reason for it. */
export interface StaffOrder {
  readonly actor: string;
  readonly reason: string;
}

/** An audited action. */
export interface StaffAction {
  /** The author, such as `root@vault-1`. */
  readonly actor: string;
  /** For example `withdrawal.cancel`. */
  readonly action: string;
  /** The id of the object, or a chain. */
  readonly subject: string;
  /** The author's reason; null for actions that ask for none. */
  readonly reason: string | null;
  /** The changes, as text. */
  readonly details?: Readonly<Record<string, string>>;
}

/** Records an action in the transaction that performs it: neither exists without the other. */
export async function recordAction(
  tx: Tx,
  { actor, action, subject, reason, details = {} }: StaffAction,
): Promise<void> {
  await tx.insert(AuditEntry, { actor, action, subject, reason, details });
}
