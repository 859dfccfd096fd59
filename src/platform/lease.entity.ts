import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from './database/columns.js';
const LeaseSchema = defineEntity({
  name: 'Lease',
  tableName: 'lease',
  properties: {
    name: p.text().primary(),
    holder: p.text(),
    epoch: wholeNumber(),
    expiresAt: p.datetime(3),
  },
});

/** The leader of a group of recurring jobs, the end of its lease, and its fencing token. */
export class Lease extends LeaseSchema.class {}
LeaseSchema.setClass(Lease);
