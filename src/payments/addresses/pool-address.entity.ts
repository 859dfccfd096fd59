import { defineEntity, p } from '@mikro-orm/core';
import type { AddressFamily, Environment } from '../../domain/network.js';
import { wholeNumber } from '../../platform/database/columns.js';
const PoolAddressSchema = defineEntity({
  name: 'PoolAddress',
  tableName: 'pool_address',
  properties: {
    id: wholeNumber().primary().generated('identity'),
    environment: p.text().$type<Environment>(),
    family: p.text().$type<AddressFamily>(),
    derivationIndex: p.integer(),
    derivationPath: p.text(),
    address: p.text(),
    addressKey: p.text(),
    intentId: p.text().strictNullable(),
    assignedAt: p.datetime(3).strictNullable(),
    retiredAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** An address that the vault derived ahead: free until it is assigned to one intent, permanently. */
export class PoolAddress extends PoolAddressSchema.class {}
PoolAddressSchema.setClass(PoolAddress);
