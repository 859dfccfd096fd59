import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from '../platform/database/columns.js';
import type { BrokenRule } from './check.js';

/** The scope of an audit: all rules over all rows, or the seals and entries since the last audit. */
export const AUDIT_SCOPES = ['everything', 'new_entries'] as const;
export type AuditScope = (typeof AUDIT_SCOPES)[number];

const BooksAuditSchema = defineEntity({
  name: 'BooksAudit',
  tableName: 'books_audit',
  properties: {
    id: wholeNumber().primary().generated('identity'),
    scope: p.text().$type<AuditScope>(),
    sealedTo: wholeNumber(),
    sealHash: p.text(),
    auditSealedTo: wholeNumber().defaultRaw('0'),
    auditSealHash: p.text().defaultRaw(`'${'0'.repeat(64)}'`),
    findingCheck: p.text().strictNullable(),
    findingRow: p.text().strictNullable(),
    findingSays: p.text().strictNullable(),
    findings: p.json().$type<readonly BrokenRule[]>().defaultRaw(`'[]'`),
    startedAt: p.datetime(3),
    finishedAt: p.datetime(3).defaultRaw('clock_timestamp()'),
  },
});

/**
 * One audit of the books: its scope, the last good seal of each hash chain, the first breach, and every broken rule.
 */
export class BooksAudit extends BooksAuditSchema.class {}
BooksAuditSchema.setClass(BooksAudit);
