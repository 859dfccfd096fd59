import { auditContentHash, auditSealHash } from '../../audit-log/audit-seal.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { type Finding, statementCheck } from '../check.js';
import { findAuditSeal, nextAuditSeals, unsealedAuditEntries } from './audit-seal-check.sql.js';
import type { SealChain } from './chain-walk.js';

type SealRow = RowOf<typeof nextAuditSeals>;

/** The chain over the audit log: each entry must still say what was sealed. */
export const ACTION_CHAIN: SealChain<SealRow> = {
  name: 'audit_seals_hold',
  rule: 'The hash chain over the audit log is unbroken, and no sealed action has changed.',
  table: 'audit_seal',
  sealed: 'actions',
  next: nextAuditSeals,
  find: findAuditSeal,
  rowOf: ({ entryId }) => `audit_entry ${entryId}`,
  contentBreach: sealedBreach,
  hashAfter: (previous, { sequence, entryId, contentHash }) =>
    auditSealHash(previous, { sequence: Number(sequence), entryId, contentHash }),
};

function sealedBreach(seal: SealRow): Finding | null {
  const row = `audit_entry ${seal.entryId}`;
  if (seal.id === null) return { row, says: `was sealed as number ${seal.sequence} and is gone` };
  return auditContentHash(seal) === seal.contentHash ? null : { row, says: 'was changed after it was sealed' };
}

/** Actions without a seal. Those of open transactions become visible with their place in the queue. */
export const UNSEALED_ACTIONS_CHECK = statementCheck(
  'unsealed_actions_hold',
  'An action without a seal waits for it.',
  unsealedAuditEntries,
);
