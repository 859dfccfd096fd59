import type { IncomingMessage, ServerResponse } from 'node:http';
import { idKey, timeOfId } from '../domain/ids.js';
import type { Environment } from '../domain/network.js';
import { answerFactsOf } from '../http/answer-facts.js';
import type { StoredAnswer } from '../http/stored-answer.js';
import type { KeyedRequest } from '../idempotency/write-request.js';
import { type LoggedCode, NO_ANSWER } from './logged-request.entity.js';

/** A request as the log stores it. */
export interface RequestRecord {
  readonly environment: Environment;
  readonly id: string;
  readonly merchantId: string;
  readonly apiKeyId: string;
  readonly method: string;
  readonly route: string;
  readonly resourceId: string | null;
  readonly status: number | null;
  readonly errorCode: LoggedCode | null;
  readonly idempotencyKey: string | null;
  readonly replayed: boolean;
  readonly durationMs: number;
  readonly createdAt: Date;
}

/** A request of Express, with the route that matched and what the guards have found. */
type Incoming = IncomingMessage &
  Partial<Pick<KeyedRequest, 'caller' | 'idempotencyKey' | 'params'>> & {
    readonly route?: { readonly path?: unknown };
  };

/** Answers that anybody can cause in any number. The metrics count them. */
const COUNTED_ONLY: readonly number[] = [401, 404, 429];
const ID = /^[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}$/;
/** The beginning of an object of the API. */
const OBJECT_WITH_ID = /^\{"id":"([a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26})"/;

/**
 * Returns what the log keeps of a request to the merchants' API that took so many milliseconds: of POSTs, and of what
 * failed. Null for everything else, and without a caller.
 */
export function recordOf(req: Incoming, res: ServerResponse, durationMs: number): RequestRecord | null {
  const { caller, idempotencyKey, params, route, method = '' } = req;
  const status = res.statusCode;
  if (caller === undefined || COUNTED_ONLY.includes(status) || (method !== 'POST' && status < 400)) return null;
  const { errorCode, stored } = answerFactsOf(res);
  const isAnswered = res.headersSent;
  const id = String(res.getHeader('Request-Id'));
  return {
    environment: caller.environment,
    id,
    merchantId: caller.merchantId,
    apiKeyId: caller.apiKeyId,
    method,
    // A caller is known once a route has matched.
    route: String(route?.path),
    resourceId: namedIn(params) ?? madeBy(stored),
    status: isAnswered ? status : null,
    errorCode: isAnswered ? (errorCode ?? null) : NO_ANSWER,
    idempotencyKey: idempotencyKey ?? null,
    replayed: stored?.headers['Idempotent-Replayed'] !== undefined,
    durationMs: Math.round(durationMs),
    createdAt: timeOfId(id),
  };
}

/** The id in the path. A client may have written anything there. */
function namedIn(params: KeyedRequest['params'] | undefined): string | null {
  const named = params?.['id'];
  if (typeof named !== 'string') return null;
  const id = idKey(named);
  return ID.test(id) ? id : null;
}

const madeBy = (stored: StoredAnswer | undefined): string | null =>
  OBJECT_WITH_ID.exec(stored?.json ?? '')?.[1] ?? null;
