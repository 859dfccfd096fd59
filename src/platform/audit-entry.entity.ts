import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../domain/network.js';
import { wholeNumber } from './database/columns.js';

/** The changed fields of an object, before or after an action. Never secrets. */
export type AuditedState = Readonly<Record<string, string | number | boolean | null>>;

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
    /** Of the request, when staff acted in the console: the client's address, its id, the environment and the role there. */
    address: p.text().strictNullable(),
    requestId: p.text().strictNullable(),
    environment: p.text().$type<Environment>().strictNullable(),
    role: p.text().strictNullable(),
    before: p.json().$type<AuditedState>().strictNullable(),
    after: p.json().$type<AuditedState>().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('clock_timestamp()'),
  },
});

/** An action of an operator or of staff, with its subject and reason. Append-only; it commits with the action. */
export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);
