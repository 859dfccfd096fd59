import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../domain/network.js';
import type { StoredVerdict } from './price-evidence.js';

const PriceSnapshotSchema = defineEntity({
  name: 'PriceSnapshot',
  tableName: 'price_round',
  properties: {
    id: p.text().primary(),
    environment: p.text().$type<Environment>(),
    prices: p.json().$type<Record<string, StoredVerdict>>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** All prices at one time: what every source said, and the price that follows. A quote refers to its snapshot. */
export class PriceSnapshot extends PriceSnapshotSchema.class {}
PriceSnapshotSchema.setClass(PriceSnapshot);
