import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../domain/network.js';
import { UnitsType, WholeNumberType } from '../platform/database/columns.js';
/** `chain` stands for the outside: what merchants hold in all is what the chain account owes. */
export type AccountKind = 'pocket_available' | 'pocket_held' | 'chain';

const AccountSchema = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    id: p.type(WholeNumberType).primary().generated('identity'),
    kind: p.text().$type<AccountKind>(),
    environment: p.text().$type<Environment>(),
    asset: p.text(),
    merchantId: p.text().strictNullable(),
    balance: p.type(UnitsType).strictNullable(),
  },
});

/** One side of the books for one asset. Only pocket accounts carry a cached balance; chain accounts would be hot rows. */
export class Account extends AccountSchema.class {}
AccountSchema.setClass(Account);
