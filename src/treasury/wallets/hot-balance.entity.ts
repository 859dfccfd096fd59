import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, wholeNumber } from '../../platform/database/columns.js';

const HotBalanceSchema = defineEntity({
  name: 'HotBalance',
  tableName: 'hot_balance',
  properties: {
    chainRef: p.text().primary(),
    tokenContract: p.text().primary(),
    amount: p.type(UnitsType),
    height: wholeNumber(),
    takenAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** The balance of a hot wallet in one token, as of the final block at `height`. */
export class HotBalance extends HotBalanceSchema.class {}
HotBalanceSchema.setClass(HotBalance);
