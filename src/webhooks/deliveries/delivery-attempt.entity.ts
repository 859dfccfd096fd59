import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from '../../platform/database/columns.js';
import type { AttemptErrorCode } from './attempt.js';

const DeliveryAttemptSchema = defineEntity({
  name: 'DeliveryAttempt',
  tableName: 'delivery_attempt',
  properties: {
    deliveryId: p.text().primary(),
    number: p.integer().primary(),
    startedAt: p.datetime(3),
    durationMs: p.integer(),
    signedAt: wholeNumber(),
    responseStatus: p.integer().strictNullable(),
    errorCode: p.text().$type<AttemptErrorCode>().strictNullable(),
    errorMessage: p.text().strictNullable(),
    responseHeaders: p.json().$type<Record<string, string>>().strictNullable(),
    responseBody: p.text().strictNullable(),
  },
});

/** One attempt to deliver an event: its time, its duration and the response. */
export class DeliveryAttempt extends DeliveryAttemptSchema.class {}
DeliveryAttemptSchema.setClass(DeliveryAttempt);
