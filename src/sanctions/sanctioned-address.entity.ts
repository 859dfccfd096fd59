import { defineEntity, p } from '@mikro-orm/core';
import type { ListedFamily } from '../domain/address-form.js';
import { wholeNumber } from '../platform/database/columns.js';

const SanctionedAddressSchema = defineEntity({
  name: 'SanctionedAddress',
  tableName: 'sanctioned_address',
  properties: {
    id: wholeNumber().primary().generated('identity'),
    family: p.text().$type<ListedFamily>(),
    addressKey: p.text(),
    name: p.text().strictNullable(),
    addedIn: wholeNumber(),
    removedIn: wholeNumber().strictNullable(),
  },
});

/**
 * An address and the time during which it was listed: from the import that added it to the one that no longer had it.
 */
export class SanctionedAddress extends SanctionedAddressSchema.class {}
SanctionedAddressSchema.setClass(SanctionedAddress);
