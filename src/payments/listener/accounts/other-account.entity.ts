import { defineEntity, p } from '@mikro-orm/core';
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
    foundAt: p.datetime(3).defaultRaw('now()'),
  },
});

/**
 * An account of a listed token that an address of ours owns beside its associated one, and that holds funds. Nothing of them is
 * credited, and no sweep takes them.
 */
export class OtherAccount extends OtherAccountSchema.class {}
OtherAccountSchema.setClass(OtherAccount);
