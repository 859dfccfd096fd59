import { createHash } from 'node:crypto';
import { linkHash } from '../domain/hash-chain.js';

/** The columns of an audit entry in the order in which its hash covers them. */
const SEALED_COLUMNS = [
  'id',
  'actor',
  'action',
  'subject',
  'reason',
  'details',
  'address',
  'requestId',
  'environment',
  'role',
  'before',
  'after',
  'createdAt',
] as const;

/** An audit entry as PostgreSQL writes its columns: JSON as the text of `jsonb`, the time in UTC with milliseconds. */
export type AuditTexts = Readonly<Record<(typeof SEALED_COLUMNS)[number], string | null>>;

/**
 * Returns the hash of all that an audit entry says. The bytes of each column are counted, so that no text can pass from one
 * column to the next. The database computes the same (migrations: audit seals).
 */
export function auditContentHash(texts: AuditTexts): string {
  const fields = SEALED_COLUMNS.map((column) => fieldOf(texts[column]));
  return createHash('sha256').update(fields.join(',')).digest('hex');
}

const fieldOf = (text: string | null): string => (text === null ? '-' : `${Buffer.byteLength(text)}:${text}`);

/** An audit entry at its place in the chain. */
export interface SealedAction {
  /** From 1, without gaps. */
  readonly sequence: number;
  readonly entryId: string;
  readonly contentHash: string;
}

/** Returns the hash of a seal. The database computes the same (migrations: audit seals). */
export function auditSealHash(previous: string, { sequence, entryId, contentHash }: SealedAction): string {
  return linkHash(previous, [sequence, entryId, contentHash]);
}
