import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, wholeNumber } from '../../../platform/database/columns.js';

const SeenFundingSchema = defineEntity({
  name: 'SeenFunding',
  tableName: 'seen_funding',
  properties: {
    chainRef: p.text().primary(),
    txHash: p.text().primary(),
    addressId: wholeNumber(),
    amount: p.type(UnitsType),
    blockHeight: wholeNumber(),
    blockHash: p.text(),
  },
});

/**
 * A transfer of coins from the hot wallet to a deposit address, as a block shows it, final or not. It is no deposit, whether
 * or not the books know its funding: a database that was restored lacks the newest.
 */
export class SeenFunding extends SeenFundingSchema.class {}
SeenFundingSchema.setClass(SeenFunding);
