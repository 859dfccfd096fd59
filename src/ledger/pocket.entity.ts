import { defineEntity, p } from '@mikro-orm/core';
import type { Environment, Network } from '../domain/network.js';
import { wholeNumber } from '../platform/database/columns.js';
const PocketSchema = defineEntity({
  name: 'Pocket',
  tableName: 'pocket',
  properties: {
    id: p.text().primary(),
    merchantId: p.text(),
    environment: p.text().$type<Environment>(),
    network: p.text().$type<Network>(),
    token: p.text(),
    tokenContract: p.text(),
    tokenDecimals: p.integer(),
    minorUnitExponent: p.integer(),
    availableAccountId: wholeNumber(),
    heldAccountId: wholeNumber(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** A merchant's balance in one token on one network. The contract identifies the token; the symbol is for display. */
export class Pocket extends PocketSchema.class {}
PocketSchema.setClass(Pocket);
