import { defineEntity, p } from '@mikro-orm/core';

const MerchantSchema = defineEntity({
  name: 'Merchant',
  tableName: 'merchant',
  properties: {
    id: p.text().primary(),
    name: p.text(),
    liveVerifiedAt: p.datetime(3).strictNullable(),
    underpaymentToleranceBps: p.integer().default(0),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** A merchant, who collects payments. Only a merchant that an operator has verified can have live keys. */
export class Merchant extends MerchantSchema.class {}
MerchantSchema.setClass(Merchant);
