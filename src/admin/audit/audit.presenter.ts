import type { ListedAction } from '../../audit-log/audit-reader.service.js';
import type { ActionChainProof } from '../../auditor/books-proof.service.js';
import { actionText } from '../../domain/audited-action.js';
import type { CsvCell } from '../../http/csv.js';
import { STAFF_ROLES } from '../../staff/permissions.js';
import type { AuditEntryObject, AuditSealObject } from './audit.schema.js';

/** An entry of the audit log as staff see it. */
export const presentAction = (entry: ListedAction): AuditEntryObject => ({
  id: entry.id,
  object: 'audit_entry',
  actor: entry.actor,
  role: STAFF_ROLES.find((role) => role === entry.role) ?? null,
  environment: entry.environment,
  action: entry.action,
  action_text: actionText(entry.action),
  subject: entry.subject,
  reason: entry.reason,
  details: { ...entry.details },
  before: entry.before,
  after: entry.after,
  address: entry.address,
  request_id: entry.requestId,
  created_at: new Date(entry.createdAt).toISOString(),
});

/** Whether the hash chain over the audit log holds. */
export const presentSeal = (proof: ActionChainProof | null): AuditSealObject => ({
  object: 'audit_seal',
  holds: proof === null ? null : proof.findings.length === 0,
  checked_at: proof?.checkedAt.toISOString() ?? null,
  sealed_entries: proof?.sealedTo ?? 0,
  findings: [...(proof?.findings ?? [])],
});

/** The first line of an export. */
export const AUDIT_HEAD: readonly string[] = [
  'id',
  'created_at',
  'actor',
  'role',
  'environment',
  'action',
  'subject',
  'reason',
  'details',
  'before',
  'after',
  'address',
  'request_id',
];

const jsonOf = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

/** The cells of one entry, in the order of the head. */
export const auditCells = (entry: ListedAction): CsvCell[] => [
  entry.id,
  new Date(entry.createdAt),
  entry.actor,
  entry.role,
  entry.environment,
  entry.action,
  entry.subject,
  entry.reason,
  jsonOf(entry.details),
  jsonOf(entry.before),
  jsonOf(entry.after),
  entry.address,
  entry.requestId,
];
