import { type Tx, sql } from './database/database.js';

/** Who acts, and why. */
export interface StaffOrder {
  readonly actor: string;
  readonly reason: string;
}

/** Something that staff did. */
export interface StaffAction {
  /** Who did it, such as `root@vault-1`. */
  readonly actor: string;
  /** What was done, such as `withdrawal.cancel`. */
  readonly action: string;
  /** To what: an id, or a chain. */
  readonly subject: string;
  /** Why, in the words of who did it; null where nobody was asked. */
  readonly reason: string | null;
  /** What it changed, as text. */
  readonly details?: Readonly<Record<string, string>>;
}

/** Writes down what staff did, in the transaction that does it: neither exists without the other. */
export async function recordAction(
  tx: Tx,
  { actor, action, subject, reason, details = {} }: StaffAction,
): Promise<void> {
  await sql(tx, `insert into audit_entry (actor, action, subject, reason, details) values ($1, $2, $3, $4, $5)`, [
    actor,
    action,
    subject,
    reason,
    JSON.stringify(details),
  ]);
}
