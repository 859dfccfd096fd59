import { defineEntity, p } from '@mikro-orm/core';
import { WholeNumberType } from '../../platform/database/columns.js';
const DeliveryAttemptSchema = defineEntity({
  name: 'DeliveryAttempt',
  tableName: 'delivery_attempt',
  properties: {
    deliveryId: p.text().primary(),
    number: p.integer().primary(),
    startedAt: p.datetime(3),
    durationMs: p.integer(),
    signedAt: p.type(WholeNumberType),
    responseStatus: p.integer().strictNullable(),
    errorCode: p.text().strictNullable(),
    errorMessage: p.text().strictNullable(),
    responseHeaders: p.json().$type<Record<string, string>>().strictNullable(),
    responseBody: p.text().strictNullable(),
  },
});

/** One attempt to deliver an event: its time, its duration and the response. */
export class DeliveryAttempt extends DeliveryAttemptSchema.class {}
DeliveryAttemptSchema.setClass(DeliveryAttempt);
