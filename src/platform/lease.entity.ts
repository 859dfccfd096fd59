import { defineEntity, p } from '@mikro-orm/core';
import { WholeNumberType } from './database/columns.js';
const LeaseSchema = defineEntity({
  name: 'Lease',
  tableName: 'lease',
  properties: {
    name: p.text().primary(),
    holder: p.text(),
    epoch: p.type(WholeNumberType),
    expiresAt: p.datetime(3),
  },
});

/** Who leads a recurring duty, until when, and under which fencing token. */
export class Lease extends LeaseSchema.class {}
LeaseSchema.setClass(Lease);
