import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../domain/network.js';
import { wholeNumber } from '../platform/database/columns.js';
const EventCounterSchema = defineEntity({
  name: 'EventCounter',
  tableName: 'event_counter',
  properties: {
    merchantId: p.text().primary(),
    environment: p.text().$type<Environment>().primary(),
    lastSequence: wholeNumber(),
    latestAt: p.datetime(3).strictNullable(),
    disorderMs: wholeNumber().defaultRaw('0'),
  },
});

/**
 * The last sequence number of the events of one merchant in one environment. A trigger keeps the latest `created_at` of the
 * numbered events, and the most by which an event was older than one with a lower number.
 */
export class EventCounter extends EventCounterSchema.class {}
EventCounterSchema.setClass(EventCounter);
