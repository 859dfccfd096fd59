import { defineEntity, p } from '@mikro-orm/core';
import type { ErrorCode } from '../domain/errors.js';
import type { Environment } from '../domain/network.js';
import { wholeNumber } from '../platform/database/columns.js';

/** The outcome of a request whose client closed the connection before it was answered. */
export const NO_ANSWER = 'no_answer';
/** The code of an error, or that there was no answer. */
export type LoggedCode = ErrorCode | typeof NO_ANSWER;

const LoggedRequestSchema = defineEntity({
  name: 'LoggedRequest',
  tableName: 'api_request',
  properties: {
    environment: p.text().$type<Environment>().primary(),
    id: p.text().primary(),
    position: wholeNumber().generated('identity').autoincrement(),
    merchantId: p.text(),
    apiKeyId: p.text(),
    method: p.text(),
    route: p.text(),
    resourceId: p.text().strictNullable(),
    status: p.integer().strictNullable(),
    errorCode: p.text().$type<LoggedCode>().strictNullable(),
    idempotencyKey: p.text().strictNullable(),
    replayed: p.boolean(),
    durationMs: p.integer(),
    createdAt: p.datetime(3),
  },
});

/**
 * A request to the merchants' API, without its body: a POST, or one that failed. `id` is that of the request, `req_...`,
 * whose time is `createdAt`; `route` is the pattern of its path. `status` is null when there was no answer.
 */
export class LoggedRequest extends LoggedRequestSchema.class {}
LoggedRequestSchema.setClass(LoggedRequest);
