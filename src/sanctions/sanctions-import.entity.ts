import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from '../platform/database/columns.js';

const SanctionsImportSchema = defineEntity({
  name: 'SanctionsImport',
  tableName: 'sanctions_import',
  properties: {
    id: wholeNumber().primary().generated('identity'),
    source: p.text(),
    publishedOn: p.date(),
    addresses: p.integer(),
    contentHash: p.text(),
    importedAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** A sanctions list as it was imported. The newest import is the current list. */
export class SanctionsImport extends SanctionsImportSchema.class {}
SanctionsImportSchema.setClass(SanctionsImport);
