import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType } from '../../platform/database/columns.js';

const PocketLimitSchema = defineEntity({
  name: 'PocketLimit',
  tableName: 'pocket_limit',
  properties: {
    pocketId: p.text().primary(),
    dailyAmount: p.type(UnitsType),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** The most that may leave a pocket within 24 hours, in smallest units. */
export class PocketLimit extends PocketLimitSchema.class {}
PocketLimitSchema.setClass(PocketLimit);
