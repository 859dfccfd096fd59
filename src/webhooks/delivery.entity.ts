import { defineEntity, p } from '@mikro-orm/core';

/** `pending` has a due time; `held` waits until its endpoint is enabled again; `dead_letter` has spent its tries and can be replayed; `cancelled` lost its endpoint. */
export type DeliveryStatus = 'pending' | 'held' | 'delivered' | 'dead_letter' | 'cancelled';

const DeliverySchema = defineEntity({
  name: 'Delivery',
  tableName: 'delivery',
  properties: {
    id: p.text().primary(),
    eventId: p.text(),
    endpointId: p.text(),
    series: p.integer().default(1),
    status: p.text().$type<DeliveryStatus>(),
    attempts: p.integer().default(0),
    dueAt: p.datetime(3).defaultRaw('now()'),
    leaseUntil: p.datetime(3).strictNullable(),
    leaseHolder: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).strictNullable(),
  },
});

/** An event owed to an endpoint. A replay is a new series of attempts of the same event. */
export class Delivery extends DeliverySchema.class {}
DeliverySchema.setClass(Delivery);
