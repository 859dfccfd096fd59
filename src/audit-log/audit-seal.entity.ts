import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from '../platform/database/columns.js';

const AuditSealSchema = defineEntity({
  name: 'AuditSeal',
  tableName: 'audit_seal',
  properties: {
    sequence: wholeNumber().primary().autoincrement(false),
    entryId: wholeNumber(),
    contentHash: p.text(),
    hash: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** A link of the hash chain over the audit log: an earlier entry cannot change without breaking the chain. */
export class AuditSeal extends AuditSealSchema.class {}
AuditSealSchema.setClass(AuditSeal);
