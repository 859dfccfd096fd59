import { defineEntity, p } from '@mikro-orm/core';
import type { OtherAccountObstacle } from '../../../domain/account-obstacle.js';
import { UnitsType, wholeNumber } from '../../../platform/database/columns.js';

const OtherAccountSchema = defineEntity({
  name: 'OtherAccount',
  tableName: 'other_account',
  properties: {
    chainRef: p.text().primary(),
    account: p.text().primary(),
    addressId: wholeNumber(),
    tokenContract: p.text(),
    /** What it held when it was read last. */
    units: p.type(UnitsType),
    /** Null where an earlier version has found it: the next search decides. */
    obstacle: p.text().$type<OtherAccountObstacle>().strictNullable(),
    foundAt: p.datetime(3).defaultRaw('now()'),
  },
});

/**
 * An account of a listed token that an address of ours owns beside its associated one, and that holds funds which cannot be
 * credited. No sweep takes them.
 */
export class OtherAccount extends OtherAccountSchema.class {}
OtherAccountSchema.setClass(OtherAccount);
