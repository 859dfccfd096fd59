import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, wholeNumber } from '../../platform/database/columns.js';

const DiscrepancySchema = defineEntity({
  name: 'Discrepancy',
  tableName: 'shortage',
  properties: {
    id: p.text().primary(),
    chainRef: p.text(),
    tokenContract: p.text(),
    amount: p.type(UnitsType),
    height: wholeNumber(),
    bookedAt: p.datetime(3).defaultRaw('now()'),
  },
});

/**
 * Funds that were missing from a hot wallet at the block `height` and that an operator wrote off: a receivable of ours,
 * no longer counted as the wallet's balance.
 */
export class Discrepancy extends DiscrepancySchema.class {}
DiscrepancySchema.setClass(Discrepancy);
