import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType } from '../../../platform/database/columns.js';

const UnexplainedBalanceSchema = defineEntity({
  name: 'UnexplainedBalance',
  tableName: 'unexplained_balance',
  properties: {
    chainRef: p.text().primary(),
    account: p.text().primary(),
    /** What the account holds above the books. */
    units: p.type(UnitsType),
    since: p.datetime(3).defaultRaw('now()'),
  },
});

/** Funds on one of our accounts that no transaction explains yet. Nothing of them is credited. */
export class UnexplainedBalance extends UnexplainedBalanceSchema.class {}
UnexplainedBalanceSchema.setClass(UnexplainedBalance);
