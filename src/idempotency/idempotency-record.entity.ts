import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../domain/network.js';
const IdempotencyRecordSchema = defineEntity({
  name: 'IdempotencyRecord',
  tableName: 'idempotency_record',
  properties: {
    merchantId: p.text().primary(),
    environment: p.text().$type<Environment>().primary(),
    method: p.text().primary(),
    path: p.text().primary(),
    idempotencyKey: p.text().primary(),
    fingerprint: p.text(),
    status: p.integer(),
    body: p.blob(),
    encrypted: p.boolean(),
    requestId: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** The answer of a successful POST, kept so that the same key returns the same bytes again (docs/idempotency.md). */
export class IdempotencyRecord extends IdempotencyRecordSchema.class {}
IdempotencyRecordSchema.setClass(IdempotencyRecord);
