import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from '../../../platform/database/columns.js';

const WatchedAccountSchema = defineEntity({
  name: 'WatchedAccount',
  tableName: 'watched_account',
  properties: {
    chainRef: p.text().primary(),
    account: p.text().primary(),
    addressId: wholeNumber(),
    tokenContract: p.text(),
  },
});

/** An address itself, or its associated account of a listed token, on a chain that is read by accounts. */
export class WatchedAccount extends WatchedAccountSchema.class {}
WatchedAccountSchema.setClass(WatchedAccount);
