import { defineEntity, p } from '@mikro-orm/core';
import type { DeliveryStatus } from '../../domain/delivery-status.js';
import type { EventType } from '../../domain/event-type.js';
import type { Environment } from '../../domain/network.js';
import type { AttemptErrorCode } from './attempt.js';

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
    dueAt: p.datetime(3).defaultRaw(`date_trunc('milliseconds'::text, now())`),
    leaseUntil: p.datetime(3).strictNullable(),
    leaseHolder: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).strictNullable(),
    // Set by the insert or by a trigger. No row has null, but the column allows it for rolling updates.
    merchantId: p.text().strictNullable(),
    environment: p.text().$type<Environment>().strictNullable(),
    superseded: p.boolean().default(false),
    eventType: p.text().$type<EventType>().strictNullable(),
    // Of the latest attempt. A trigger sets them for a process of the version before, if the attempt failed.
    lastResponseStatus: p.integer().strictNullable(),
    lastErrorCode: p.text().$type<AttemptErrorCode>().strictNullable(),
    /** The job of staff that began this series, or made it due the last time. */
    replayJobId: p.text().strictNullable(),
  },
});

/** One event for one endpoint. A retry of a finished delivery is a new series of attempts, which supersedes it. */
export class Delivery extends DeliverySchema.class {}
DeliverySchema.setClass(Delivery);
