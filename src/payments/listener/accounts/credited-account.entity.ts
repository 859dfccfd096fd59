import { defineEntity, p } from '@mikro-orm/core';
import type { CreditedObstacle } from '../../../domain/account-obstacle.js';
import { wholeNumber } from '../../../platform/database/columns.js';

const CreditedAccountSchema = defineEntity({
  name: 'CreditedAccount',
  tableName: 'credited_account',
  properties: {
    chainRef: p.text().primary(),
    account: p.text().primary(),
    addressId: wholeNumber().primary(),
    tokenContract: p.text().primary(),
    /** Why nothing of it is credited or swept for now; null where both are possible. */
    obstacle: p.text().$type<CreditedObstacle>().strictNullable(),
    /** Sweeps of it in a row that brought nothing. */
    failures: p.integer().defaultRaw('0'),
    retryAt: p.datetime(3).strictNullable(),
    admittedAt: p.datetime(3).defaultRaw('now()'),
  },
});

/**
 * An account of a listed token that an address owns beside its associated one, whose funds are credited and swept. Its maker has
 * its key and can open it again once a sweep has closed it, for another address or another token: each of them is a row.
 */
export class CreditedAccount extends CreditedAccountSchema.class {}
CreditedAccountSchema.setClass(CreditedAccount);
