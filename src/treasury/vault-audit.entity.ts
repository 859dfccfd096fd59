import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from '../platform/database/columns.js';

/**
 * `signed` by the vault, or `refused`. `adopted`: signed before the database was restored to an older state, and
 * recorded again by an operator, whose reason is in the audit.
 */
export type VaultVerdict = 'signed' | 'refused' | 'adopted';

const VaultAuditSchema = defineEntity({
  name: 'VaultAudit',
  tableName: 'vault_audit',
  properties: {
    id: wholeNumber().primary().generated('identity'),
    transactionId: p.text().strictNullable(),
    attempt: p.integer().strictNullable(),
    purpose: p.text(),
    purposeId: p.text(),
    verdict: p.text().$type<VaultVerdict>(),
    reason: p.text().strictNullable(),
    txHash: p.text().strictNullable(),
    fields: p.json().$type<Readonly<Record<string, string>>>(),
    createdAt: p.datetime(3).defaultRaw('clock_timestamp()'),
  },
});

/** One verdict on a signature. Append-only; a signature and its row commit together. */
export class VaultAudit extends VaultAuditSchema.class {}
VaultAuditSchema.setClass(VaultAudit);
