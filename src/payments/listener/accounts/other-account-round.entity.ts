import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from '../../../platform/database/columns.js';

const OtherAccountRoundSchema = defineEntity({
  name: 'OtherAccountRound',
  tableName: 'other_account_round',
  properties: {
    chainRef: p.text().primary(),
    /** The next addresses have ids below this one; null = it is over, and the next one begins with the newest. */
    below: wholeNumber().strictNullable(),
    beganAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** How far the search for other accounts of all addresses of a chain has come. */
export class OtherAccountRound extends OtherAccountRoundSchema.class {}
OtherAccountRoundSchema.setClass(OtherAccountRound);
