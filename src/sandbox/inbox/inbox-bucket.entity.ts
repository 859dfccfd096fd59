import { defineEntity, p } from '@mikro-orm/core';

const InboxBucketSchema = defineEntity({
  name: 'InboxBucket',
  tableName: 'inbox_bucket',
  properties: {
    holderId: p.text().primary().fieldName('inbox_id'),
    tokens: p.double().$type<number, number>(),
    refilledAt: p.datetime(6),
  },
});

/** The token bucket of one inbox, like that of an API key. */
export class InboxBucket extends InboxBucketSchema.class {}
InboxBucketSchema.setClass(InboxBucket);
