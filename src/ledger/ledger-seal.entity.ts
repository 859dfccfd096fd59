import { defineEntity, p } from '@mikro-orm/core';
import { WholeNumberType } from '../platform/database/columns.js';

const LedgerSealSchema = defineEntity({
  name: 'LedgerSeal',
  tableName: 'ledger_seal',
  properties: {
    sequence: p.type(WholeNumberType).primary().autoincrement(false),
    entryId: p.text(),
    contentHash: p.text(),
    hash: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** A link of the hash chain over the entries: an earlier entry cannot change without breaking the chain. */
export class LedgerSeal extends LedgerSealSchema.class {}
LedgerSealSchema.setClass(LedgerSeal);
