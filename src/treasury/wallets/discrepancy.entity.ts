import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, WholeNumberType } from '../../platform/database/columns.js';

const DiscrepancySchema = defineEntity({
  name: 'Discrepancy',
  tableName: 'shortage',
  properties: {
    id: p.text().primary(),
    chainRef: p.text(),
    tokenContract: p.text(),
    amount: p.type(UnitsType),
    height: p.type(WholeNumberType),
    bookedAt: p.datetime(3).defaultRaw('now()'),
  },
});

/**
 * Coins that a hot wallet lacked at the block `height` and that staff have booked out: they are ours to claim, and the books
 * do not say any more that they lie there.
 */
export class Discrepancy extends DiscrepancySchema.class {}
DiscrepancySchema.setClass(Discrepancy);
