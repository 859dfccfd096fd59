import { ApiKey } from '../auth/api-key.entity.js';
import { Merchant } from '../auth/merchant.entity.js';
import { idBefore } from '../domain/ids.js';
import type { Environment } from '../domain/network.js';
import { as } from '../platform/sql/as.js';
import { all, define, subselect } from '../platform/sql/relation.js';
import { join, literal, sql, type SqlText } from '../platform/sql/sql.js';
import { every, out, table } from '../platform/sql/table.js';
import { type LoggedCode, LoggedRequest } from './logged-request.entity.js';
import type { RequestFilter } from './request-filter.schema.js';
import { errorCodes, owner, walkOf } from './request-walks.sql.js';

const request = table(LoggedRequest);
const merchant = table(Merchant);
const key = table(ApiKey, 'key');

/** The last moment that an id can have. */
const TIME_MAX_MS = 2 ** 48 - 1;

/** A page to read: the request before it, and the most rows. */
export interface RequestPage {
  readonly after: string | null;
  readonly rows: number;
}

/** Reads one page of the requests of an environment, newest first; null when none can match. */
export function requestPage(environment: Environment, filter: RequestFilter, { after, rows }: RequestPage) {
  const walk = walkOf(environment, filter);
  if (walk === null) return null;
  const limit = literal(rows);
  const listed = subselect(
    'listed',
    sql`select ${every(request)} from ${request}
         where ${join([walk.match, ...withinTime(filter, after)], ' and ')} order by ${request.id} desc limit ${limit}`,
  );
  return sql`
    select ${all(listed)}, ${merchant.name.as('merchantName')}, ${key.last4.asOrNull('keyLast4')}
      from (${walk.owners}) ${owner}
     cross join lateral ${define(listed)}
      join ${merchant} on ${merchant.id} = ${listed.merchantId}
      left join ${key} on ${key.id} = ${listed.apiKeyId}
     order by ${listed.id} desc limit ${limit}`;
}

/** The dates and the cursor as bounds of ids. Of two upper bounds only the tighter one: the index is entered there. */
function withinTime({ created_gte: from, created_lt: until }: RequestFilter, after: string | null): SqlText[] {
  const [upper] = [...(until === undefined ? [] : [idAt(until)]), ...(after === null ? [] : [after])].toSorted();
  return [
    ...(from === undefined ? [] : [sql`${request.id} >= ${idAt(from)}`]),
    ...(upper === undefined ? [] : [sql`${request.id} < ${upper}`]),
  ];
}

const idAt = (time: Date): string => idBefore('req_', new Date(Math.min(Math.max(time.getTime(), 0), TIME_MAX_MS)));

/** What to count: errors since a moment, `max` of each code, `limit` groups. */
export interface ErrorWindow {
  readonly since: Date;
  readonly max: number;
  readonly limit: number;
}

/** Counts the errors of an environment by code, method and route, the largest group first. */
export function errorGroups(environment: Environment, { since, max, limit }: ErrorWindow) {
  const found = subselect(
    'found',
    sql`select ${out(request, 'id', 'method', 'route', 'merchantId')} from ${request}
         where ${request.environment} = ${environment} and ${request.errorCode} = ${owner.id} and ${request.id} >= ${idAt(since)}
         order by ${request.id} desc limit ${max + 1}`,
  );
  return sql`
    select ${owner.id} ${as.textOf<LoggedCode>()('errorCode')}, ${found.method.as('method')}, ${found.route.as('route')},
           count(*)::int ${as.int('count')}, count(distinct ${found.merchantId})::int ${as.int('merchants')},
           min(${found.id}) ${as.text('firstId')}, max(${found.id}) ${as.text('latestId')},
           sum(count(*)) over (partition by ${owner.id}) > ${max} ${as.boolean('isMore')}
      from (${errorCodes()}) ${owner} cross join lateral ${define(found)}
     group by ${owner.id}, ${found.method}, ${found.route}
     order by count(*) desc, max(${found.id}) desc limit ${limit}`;
}
