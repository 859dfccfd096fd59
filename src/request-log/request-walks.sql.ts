import { ApiKey } from '../auth/api-key.entity.js';
import { ERROR_CODES } from '../domain/errors.js';
import type { Environment } from '../domain/network.js';
import { ERROR_CATALOGUE } from '../http/error-catalogue.js';
import { as } from '../platform/sql/as.js';
import { relation } from '../platform/sql/relation.js';
import { join, raw, type RowOf, sql, type SqlText } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { type LoggedCode, LoggedRequest, NO_ANSWER } from './logged-request.entity.js';
import type { RequestFilter } from './request-filter.schema.js';

const request = table(LoggedRequest);
const key = table(ApiKey, 'key');

const ONE = sql`select '' ${as.text('id')}`;

/** A row of `Walk.owners`: what the index of a walk begins with. */
export const owner = relation<RowOf<typeof ONE>>('owner');

/** Walks along an index in the order of the list: for each row of `owners`, the requests that `match` it. */
export interface Walk {
  readonly owners: SqlText;
  readonly match: SqlText;
}

const ALL_CODES: readonly LoggedCode[] = [...ERROR_CODES, NO_ANSWER];

/**
 * Returns the walks that find the requests of a filter, except for its dates; null when none can match. Errors are few, so
 * they are walked first, code by code, and then what a key has sent.
 */
export function walkOf(environment: Environment, filter: RequestFilter): Walk | null {
  const codes = codesOf(filter);
  if (codes?.length === 0) return null;
  const { request_id: id, merchant_id: merchantId, api_key_id: keyId, route, method } = filter;
  const own = sql`${request.environment} = ${environment}`;
  const rest = residualOf(filter);
  const walk = (owners: SqlText, ...match: readonly SqlText[]): Walk => ({
    owners,
    match: join([...match, ...rest], ' and '),
  });
  if (id !== undefined) {
    const ofCodes = codes === null ? [] : [sql`${request.errorCode} = any(${codes})`];
    return walk(ONE, own, sql`${request.id} = ${id}`, ...ofCodes);
  }
  if (codes !== null) return walk(errorCodes(codes), own, sql`${request.errorCode} = ${owner.id}`);
  if (keyId !== undefined || merchantId !== undefined) {
    // The owners have the key and the merchant already.
    const others = residualOf({ ...filter, merchant_id: undefined, api_key_id: undefined });
    const match = join([own, sql`${request.apiKeyId} = ${owner.id}`, ...others], ' and ');
    return { owners: keysOf(environment, filter), match };
  }
  if (route !== undefined) return walk(ONE, own);
  // A literal, so that the planner can pick the partial index. It is one of a few words.
  if (method !== undefined && method !== 'POST') return walk(ONE, own, sql`${request.method} = ${raw(`'${method}'`)}`);
  return walk(ONE, own);
}

/** The codes that a filter asks for; null when it does not ask for errors. */
function codesOf({ status, error_code: code }: RequestFilter): readonly LoggedCode[] | null {
  if (status === undefined) return code === undefined ? null : [code];
  if (status === '2xx') return code === undefined ? null : [];
  return ALL_CODES.filter((one) => classOf(one) === status && (code === undefined || one === code));
}

const classOf = (code: LoggedCode): '4xx' | '5xx' | 'none' =>
  code === NO_ANSWER ? 'none' : ERROR_CATALOGUE[code].status < 500 ? '4xx' : '5xx';

/** The rows of owners that are codes. */
export const errorCodes = (codes: readonly LoggedCode[] = ALL_CODES): SqlText =>
  sql`select unnest(${[...codes]}::text[]) ${as.text('id')}`;

function keysOf(environment: Environment, { api_key_id: keyId, merchant_id: merchantId }: RequestFilter): SqlText {
  const conditions = [
    sql`${key.environment} = ${environment}`,
    ...(merchantId === undefined ? [] : [sql`${key.merchantId} = ${merchantId}`]),
    ...(keyId === undefined ? [] : [sql`${key.id} = ${keyId}`]),
  ];
  return sql`select ${out(key, 'id')} from ${key} where ${join(conditions, ' and ')}`;
}

/** What every walk has to look at in the rows that it meets. */
function residualOf({ status, method, route, merchant_id: merchantId, api_key_id: keyId }: RequestFilter): SqlText[] {
  return [
    ...(status === '2xx' ? [sql`${request.errorCode} is null`] : []),
    ...(method === undefined ? [] : [sql`${request.method} = ${method}`]),
    ...(route === undefined ? [] : [sql`${request.route} = ${route}`]),
    ...(merchantId === undefined ? [] : [sql`${request.merchantId} = ${merchantId}`]),
    ...(keyId === undefined ? [] : [sql`${request.apiKeyId} = ${keyId}`]),
  ];
}
