import { defineEntity, p } from '@mikro-orm/core';

const RateBucketSchema = defineEntity({
  name: 'RateBucket',
  tableName: 'rate_bucket',
  properties: {
    holderId: p.text().primary().fieldName('api_key_id'),
    tokens: p.double().$type<number, number>(),
    refilledAt: p.datetime(6),
  },
});

/** The token bucket of one API key, shared by all processes; each process leases tokens from it in batches. */
export class RateBucket extends RateBucketSchema.class {}
RateBucketSchema.setClass(RateBucket);
