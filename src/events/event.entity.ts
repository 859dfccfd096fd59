import { defineEntity, p } from '@mikro-orm/core';
import type { EventType } from '../domain/event-type.js';
import type { Environment } from '../domain/network.js';
import { wholeNumber } from '../platform/database/columns.js';
const EventSchema = defineEntity({
  name: 'Event',
  tableName: 'event',
  properties: {
    id: p.text().primary(),
    position: wholeNumber().generated('identity').autoincrement(),
    merchantId: p.text(),
    environment: p.text().$type<Environment>(),
    type: p.text().$type<EventType>(),
    resourceId: p.text(),
    data: p.text(),
    traceparent: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    sequence: wholeNumber().strictNullable(),
    body: p.text().strictNullable(),
  },
});

/** A committed fact, with the resource as JSON text at that moment. The relay adds the sequence and the body once. */
export class Event extends EventSchema.class {}
EventSchema.setClass(Event);
