import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from '../platform/database/columns.js';

const LedgerSealSchema = defineEntity({
  name: 'LedgerSeal',
  tableName: 'ledger_seal',
  properties: {
    sequence: wholeNumber().primary().autoincrement(false),
    entryId: p.text(),
    contentHash: p.text(),
    hash: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** A link of the hash chain over the entries: an earlier entry cannot change without breaking the chain. */
export class LedgerSeal extends LedgerSealSchema.class {}
LedgerSealSchema.setClass(LedgerSeal);
