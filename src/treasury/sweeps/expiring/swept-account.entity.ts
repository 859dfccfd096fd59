import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from '../../../platform/database/columns.js';

const SweptAccountSchema = defineEntity({
  name: 'SweptAccount',
  tableName: 'swept_account',
  properties: {
    sweepId: p.text().primary(),
    position: p.integer().primary(),
    chainRef: p.text(),
    account: p.text(),
    addressId: wholeNumber(),
    tokenContract: p.text(),
    opensAccount: p.boolean(),
    closesAccount: p.boolean(),
  },
});

/**
 * The account that an item of a sweep empties, where that is another than the associated one, and whether the item opens the hot
 * wallet's account first and closes this one afterwards. The item itself says neither, so that an earlier version does not sign it.
 */
export class SweptAccount extends SweptAccountSchema.class {}
SweptAccountSchema.setClass(SweptAccount);
