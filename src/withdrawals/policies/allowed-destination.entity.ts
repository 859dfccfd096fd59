import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../../domain/network.js';

const AllowedDestinationSchema = defineEntity({
  name: 'AllowedDestination',
  tableName: 'allowed_destination',
  properties: {
    merchantId: p.text().primary(),
    environment: p.text().primary().$type<Environment>(),
    destinationKey: p.text().primary(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** A destination on a merchant's allow-list. It matters only while the merchant's policy requires the list. */
export class AllowedDestination extends AllowedDestinationSchema.class {}
AllowedDestinationSchema.setClass(AllowedDestination);
