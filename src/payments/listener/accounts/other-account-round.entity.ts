import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from '../../../platform/database/columns.js';

const OtherAccountRoundSchema = defineEntity({
  name: 'OtherAccountRound',
  tableName: 'other_account_round',
  properties: {
    chainRef: p.text().primary(),
    /** The next addresses have ids below this one; null = it begins with the newest. */
    below: wholeNumber().strictNullable(),
  },
});

/** How far the search for other accounts of all addresses of a chain has come. */
export class OtherAccountRound extends OtherAccountRoundSchema.class {}
OtherAccountRoundSchema.setClass(OtherAccountRound);
