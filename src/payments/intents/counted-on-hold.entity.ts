import { defineEntity, p } from '@mikro-orm/core';

const CountedOnHoldSchema = defineEntity({
  name: 'CountedOnHold',
  tableName: 'counted_on_hold',
  properties: { depositId: p.text().primary() },
});

/**
 * A deposit of a listed sender that completed its intent before money on hold stopped counting. Written by the migration
 * that changed the rule, and by nothing after it.
 */
export class CountedOnHold extends CountedOnHoldSchema.class {}
CountedOnHoldSchema.setClass(CountedOnHold);
