import { defineEntity, p } from '@mikro-orm/core';
import type { AccountObstacle } from '../../../chains/accounts.js';
import { UnitsType, wholeNumber } from '../../../platform/database/columns.js';

/** Why the funds of an account are not credited. `too_many`: the address has as many other accounts as are read of one. */
export type OtherAccountObstacle = AccountObstacle | 'too_many';

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
    obstacle: p.text().$type<OtherAccountObstacle>(),
    foundAt: p.datetime(3).defaultRaw('now()'),
  },
});

/**
 * An account of a listed token that an address of ours owns beside its associated one, and that holds funds which cannot be
 * credited. No sweep takes them.
 */
export class OtherAccount extends OtherAccountSchema.class {}
OtherAccountSchema.setClass(OtherAccount);
