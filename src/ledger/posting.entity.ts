import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../domain/network.js';
import type { Asset } from '../domain/posting.js';
import { UnitsType, wholeNumber } from '../platform/database/columns.js';
const PostingSchema = defineEntity({
  name: 'Posting',
  tableName: 'posting',
  properties: {
    id: wholeNumber().primary().generated('identity'),
    entryId: p.text(),
    accountId: wholeNumber(),
    asset: p.text().$type<Asset>(),
    environment: p.text().$type<Environment>(),
    amount: p.type(UnitsType),
  },
});

/** One signed leg of an entry, in smallest units: positive into the account, negative out of it. */
export class Posting extends PostingSchema.class {}
PostingSchema.setClass(Posting);
