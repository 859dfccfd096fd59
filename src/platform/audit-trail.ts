import type { AuditedAction } from '../domain/audited-action.js';
import type { Environment } from '../domain/network.js';
import { AuditEntry, type AuditedState } from './audit-entry.entity.js';
import type { Tx } from './database/database.js';

/** The author of an action, and the reason for it. Orders of the console also say from where, by which request and in which role. */
export interface StaffOrder extends Partial<Omit<ConsoleActor, 'actor'>> {
  readonly actor: string;
  readonly reason: string;
}

/** The author of an action in the console, and the request with which they acted. */
export interface ConsoleActor {
  /** The e-mail address of the member of staff. */
  readonly actor: string;
  readonly address: string;
  readonly requestId: string;
  /** Null for actions outside of an environment, such as a sign-in. */
  readonly environment: Environment | null;
  readonly role: string | null;
}

/** The author of an action: an operator by name, or a member of staff with their request in the console. */
export type Author = string | ConsoleActor;

/** Returns an author for `recordAction`. */
export const by = (author: Author): Pick<StaffAction, keyof ConsoleActor> =>
  typeof author === 'string' ? { actor: author } : author;

/** An audited action. Actions of the console also say from where, by which request and in which role. */
export interface StaffAction extends Partial<ConsoleActor> {
  /** The author, such as `root@vault-1`, or an e-mail address in the console. */
  readonly actor: string;
  readonly action: AuditedAction;
  /** The id of the object, or a chain. */
  readonly subject: string;
  /** The author's reason; null for actions that ask for none. */
  readonly reason: string | null;
  /** The changes, as text. */
  readonly details?: Readonly<Record<string, string>>;
  readonly before?: AuditedState;
  readonly after?: AuditedState;
}

/** Records an action in the transaction that performs it: neither exists without the other. */
export async function recordAction(tx: Tx, entry: StaffAction): Promise<void> {
  const { actor, action, subject, reason, details = {}, before = null, after = null } = entry;
  const { address = null, requestId = null, environment = null, role = null } = entry;
  const from = { address, requestId, environment, role } satisfies Partial<AuditEntry>;
  await tx.insert(AuditEntry, { actor, action, subject, reason, details, before, after, ...from });
}

/** Who acted last on an object, when and why, as part of a sentence; null without an action. */
export async function lastActionOn(tx: Tx, subject: string): Promise<string | null> {
  const last = await tx.findOne(
    AuditEntry,
    { subject },
    { fields: ['actor', 'reason', 'createdAt'], orderBy: { id: 'desc' }, disableIdentityMap: true },
  );
  return last === null ? null : `by ${last.actor} at ${last.createdAt.toISOString()}, "${last.reason ?? ''}"`;
}
