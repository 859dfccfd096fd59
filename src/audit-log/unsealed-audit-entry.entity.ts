import { defineEntity } from '@mikro-orm/core';
import { wholeNumber } from '../platform/database/columns.js';

const UnsealedAuditEntrySchema = defineEntity({
  name: 'UnsealedAuditEntry',
  tableName: 'unsealed_audit_entry',
  properties: { entryId: wholeNumber().primary().autoincrement(false) },
});

/** An audit entry that waits for its seal. A trigger writes it with the entry. */
export class UnsealedAuditEntry extends UnsealedAuditEntrySchema.class {}
UnsealedAuditEntrySchema.setClass(UnsealedAuditEntry);
