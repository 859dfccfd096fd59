import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../domain/network.js';
import { WholeNumberType } from '../platform/database/columns.js';
const EventCounterSchema = defineEntity({
  name: 'EventCounter',
  tableName: 'event_counter',
  properties: {
    merchantId: p.text().primary(),
    environment: p.text().$type<Environment>().primary(),
    lastSequence: p.type(WholeNumberType),
  },
});

/** The last sequence number given to an event of one merchant in one environment. */
export class EventCounter extends EventCounterSchema.class {}
EventCounterSchema.setClass(EventCounter);
