import type { Environment } from '../domain/network.js';
import { AuditEntry } from '../platform/audit-entry.entity.js';
import { all, relation } from '../platform/sql/relation.js';
import { join, type RowOf, sql } from '../platform/sql/sql.js';
import { every, out, table } from '../platform/sql/table.js';

const entry = table(AuditEntry);

/** Where an action was done: in an environment of the console, or outside of both (null), as by a command or a sign-in. */
export type AuditPlace = Environment | null;

/** Which entries staff see; each is exact. */
export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  readonly created_gte?: Date | undefined;
  readonly created_lt?: Date | undefined;
}

/** The entry after which a page begins. */
export type AuditCursor = RowOf<typeof findAuditPlace>;

/** Finds the place of an entry in the lists, and where it was done. */
export const findAuditPlace = (id: string) => sql`
  select ${out(entry, 'id', 'createdAt', 'environment')} from ${entry} where ${entry.id} = ${id}`;

/** One walk along an index: its order names the environment, which is no constant to the planner where it is null. */
function entriesOf(place: AuditPlace, filter: AuditFilter, after: AuditCursor | null, limit: number) {
  const where = [
    place === null ? sql`${entry.environment} is null` : sql`${entry.environment} = ${place}`,
    ...(filter.actor === undefined ? [] : [sql`${entry.actor} = ${filter.actor}`]),
    ...(filter.action === undefined ? [] : [sql`${entry.action} = ${filter.action}`]),
    ...(filter.subject === undefined ? [] : [sql`${entry.subject} = ${filter.subject}`]),
    ...(filter.created_gte === undefined ? [] : [sql`${entry.createdAt} >= ${filter.created_gte}`]),
    ...(filter.created_lt === undefined ? [] : [sql`${entry.createdAt} < ${filter.created_lt}`]),
    ...(after === null
      ? []
      : [sql`(${entry.createdAt}, ${entry.id}) < (${after.createdAt}::timestamptz, ${after.id}::bigint)`]),
  ];
  return sql`
    (select ${every(entry)} from ${entry} where ${join(where, ' and ')}
      order by ${entry.environment} desc, ${entry.createdAt} desc, ${entry.id} desc limit ${limit})`;
}

const page = relation<RowOf<typeof entriesOf>>('page');

/** Reads a page of the entries of these places, newest first. */
export const auditPage = (
  places: readonly AuditPlace[],
  filter: AuditFilter,
  { after, limit }: { readonly after: AuditCursor | null; readonly limit: number },
) => sql`
  select ${all(page)}
    from (${join(
      places.map((place) => entriesOf(place, filter, after, limit)),
      ' union all ',
    )}) ${page}
   order by ${page.createdAt} desc, ${page.id} desc limit ${limit}`;
