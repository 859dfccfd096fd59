import { defineEntity, p } from '@mikro-orm/core';

const UnsealedEntrySchema = defineEntity({
  name: 'UnsealedEntry',
  tableName: 'unsealed_entry',
  properties: { entryId: p.text().primary() },
});

/** An entry that waits for its seal. A trigger writes it with the entry. */
export class UnsealedEntry extends UnsealedEntrySchema.class {}
UnsealedEntrySchema.setClass(UnsealedEntry);
