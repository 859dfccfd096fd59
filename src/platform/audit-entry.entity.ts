import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from './database/columns.js';

const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  properties: {
    id: wholeNumber().primary().generated('identity'),
    actor: p.text(),
    action: p.text(),
    subject: p.text(),
    reason: p.text().strictNullable(),
    details: p.json().$type<Readonly<Record<string, string>>>(),
    createdAt: p.datetime(3).defaultRaw('clock_timestamp()'),
  },
});

/** An action of an operator or of staff, with its subject and reason. Append-only; it commits with the action. */
export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);
