import { defineEntity, p } from '@mikro-orm/core';
import { WholeNumberType } from '../platform/database/columns.js';

const VaultAuditSchema = defineEntity({
  name: 'VaultAudit',
  tableName: 'vault_audit',
  properties: {
    id: p.type(WholeNumberType).primary().generated('identity'),
    transactionId: p.text().strictNullable(),
    attempt: p.integer().strictNullable(),
    purpose: p.text(),
    purposeId: p.text(),
    verdict: p.text().$type<'signed' | 'refused'>(),
    reason: p.text().strictNullable(),
    txHash: p.text().strictNullable(),
    fields: p.json().$type<Readonly<Record<string, string>>>(),
    createdAt: p.datetime(3).defaultRaw('clock_timestamp()'),
  },
});

/** One verdict of the vault. Append-only; a signature and its row commit together. */
export class VaultAudit extends VaultAuditSchema.class {}
VaultAuditSchema.setClass(VaultAudit);
