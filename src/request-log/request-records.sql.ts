import type { Environment } from '../domain/network.js';
import { given, unnest } from '../platform/sql/given.js';
import { define, relation, subselect } from '../platform/sql/relation.js';
import type { Row } from '../platform/sql/row.js';
import { join, raw, sql, type SqlText } from '../platform/sql/sql.js';
import { columns, out, table } from '../platform/sql/table.js';
import { LoggedRequest } from './logged-request.entity.js';
import type { RequestRecord } from './request-record.js';

/** More than a process stores at once. */
const NEWEST = raw('10000');

const request = table(LoggedRequest);
const answered = given('answered', {
  environment: 'text',
  id: 'text',
  merchantId: 'text',
  apiKeyId: 'text',
  method: 'text',
  route: 'text',
  resourceId: 'text',
  status: 'int',
  errorCode: 'text',
  idempotencyKey: 'text',
  replayed: 'boolean',
  durationMs: 'int',
  createdAt: 'timestamptz',
});
const NAMES = [
  'environment',
  'id',
  'merchantId',
  'apiKeyId',
  'method',
  'route',
  'resourceId',
  'status',
  'errorCode',
  'idempotencyKey',
  'replayed',
  'durationMs',
  'createdAt',
] as const satisfies readonly (keyof RequestRecord)[];

/** Inserts requests. */
export const insertRequests = (records: readonly RequestRecord[]) => sql`
  insert into ${request} ${columns(request, ...NAMES)}
  select ${join(
    NAMES.map((name) => answered[name]),
    ', ',
  )} from ${unnest(answered, records)}`;

/** Deletes the oldest requests of an environment that are older than some days. `before` is the lowest id of that age. */
export const deleteOldRequests = (environment: Environment, before: string, limit: number) => sql`
  delete from ${request}
   where ctid in (select ctid from ${request} where ${request.environment} = ${environment} and ${request.id} < ${before}
                   order by ${request.id} limit ${limit})
  returning 1`;

const oldest = relation<Row<LoggedRequest, 'position'>>('oldest');

const newestOf = (environment: Environment) =>
  subselect(
    'newest',
    sql`select ${out(request, 'position')} from ${request} where ${request.environment} = ${environment}
         order by ${request.id} desc limit ${NEWEST}`,
  );
/** The highest position of an environment. Requests are stored in about the order of their ids. */
const highestOf = (environment: Environment): SqlText => {
  const newest = newestOf(environment);
  return sql`(select max(${newest.position}) from ${define(newest)})`;
};

/**
 * Deletes the oldest requests of an environment that lie more than `kept` behind the newest one of all environments. Their
 * positions count them: counting rows would read all of them.
 */
export const deleteRequestsBeyond = (environment: Environment, kept: number, limit: number) => sql`
  delete from ${request}
   where ctid in (
     select ctid from (
       select ctid, ${out(request, 'position')} from ${request} where ${request.environment} = ${environment}
        order by ${request.id} limit ${limit}) ${oldest}
      where ${oldest.position} <= greatest(${highestOf('sandbox')}, ${highestOf('live')}) - ${kept}::bigint)
  returning 1`;
