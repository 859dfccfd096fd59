import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from '../../platform/database/columns.js';

const DisprovedAddressSchema = defineEntity({
  name: 'DisprovedAddress',
  tableName: 'disproved_address',
  properties: {
    addressId: wholeNumber().primary().autoincrement(false),
    derivationIndex: p.integer(),
    derivationPath: p.text(),
    address: p.text(),
    addressKey: p.text(),
    derivedAddress: p.text().strictNullable(),
    foundAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** A pool address as it was stored, and the address that the vault derives at its index; null where no key can be. */
export class DisprovedAddress extends DisprovedAddressSchema.class {}
DisprovedAddressSchema.setClass(DisprovedAddress);
