import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, wholeNumber } from '../../platform/database/columns.js';

const TopUpSchema = defineEntity({
  name: 'TopUp',
  tableName: 'top_up',
  properties: {
    id: p.text().primary(),
    chainRef: p.text(),
    tokenContract: p.text(),
    amount: p.type(UnitsType),
    fromHeight: wholeNumber(),
    toHeight: wholeNumber(),
    foundAt: p.datetime(3).defaultRaw('now()'),
  },
});

/**
 * Funds that reached a hot wallet by other means than a sweep, above the block `fromHeight` and up to `toHeight`; -1 is
 * before the first block. Booked with its row, as owed to `capital`.
 */
export class TopUp extends TopUpSchema.class {}
TopUpSchema.setClass(TopUp);
