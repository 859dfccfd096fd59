import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../domain/network.js';
import { UnitsType, WholeNumberType } from '../platform/database/columns.js';
const PostingSchema = defineEntity({
  name: 'Posting',
  tableName: 'posting',
  properties: {
    id: p.type(WholeNumberType).primary().generated('identity'),
    entryId: p.text(),
    accountId: p.type(WholeNumberType),
    asset: p.text(),
    environment: p.text().$type<Environment>(),
    amount: p.type(UnitsType),
  },
});

/** One signed leg of an entry, in smallest units: positive into the account, negative out of it. */
export class Posting extends PostingSchema.class {}
PostingSchema.setClass(Posting);
