import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, wholeNumber } from '../../../platform/database/columns.js';

const ReturnedRentSchema = defineEntity({
  name: 'ReturnedRent',
  tableName: 'returned_rent',
  properties: {
    sweepId: p.text().primary(),
    chainRef: p.text(),
    amount: p.type(UnitsType),
    height: wholeNumber(),
  },
});

/**
 * Coins that a sweep gave the hot wallet beside the funds of its items: the rent of the accounts that it closed, less that of
 * accounts which it opened. Its fee is not subtracted. Append-only.
 */
export class ReturnedRent extends ReturnedRentSchema.class {}
ReturnedRentSchema.setClass(ReturnedRent);
