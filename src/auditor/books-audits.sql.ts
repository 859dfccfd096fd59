import { as } from '../platform/sql/as.js';
import { define, lines, subselect } from '../platform/sql/relation.js';
import { sql, type SqlText } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { AUDIT_SCOPES, BooksAudit } from './books-audit.entity.js';

const audit = table(BooksAudit);

const newestOf = (scope: SqlText) =>
  subselect(
    'newest',
    sql`select ${out(audit, 'scope', 'sealedTo', 'auditSealedTo', 'findingRow', 'findings', 'finishedAt')} from ${audit}
         where ${audit.scope} = ${scope} order by ${audit.id} desc limit 1`,
  );

const wanted = lines(
  'wanted',
  AUDIT_SCOPES.map((scope) => ({ scope: sql`${scope}::text` })),
);

/** Whether the last full audit is older than an interval, or than the shorter one after an audit that found something. */
export function isFullAuditDue(every: string, again: string) {
  const newest = newestOf(sql`'everything'`);
  return sql`
    select not exists (
      select from ${define(newest)}
       where ${newest.finishedAt} > now() - case when ${newest.findingRow} is null then ${every}::interval
                                                 else ${again}::interval end
         and ${newest.finishedAt} <= now()) ${as.boolean('isDue')}`;
}

const newestInScope = newestOf(wanted.scope);

/** Reads the newest audit of each scope, with its time in seconds. */
export const newestAudits = sql`
  select ${newestInScope.scope.as('scope')}, ${newestInScope.sealedTo.as('sealedTo')},
         ${newestInScope.auditSealedTo.as('auditSealedTo')},
         ${newestInScope.findingRow} is null ${as.boolean('isClean')},
         extract(epoch from ${newestInScope.finishedAt}) ${as.digits('finishedAt')}
    from ${define(wanted)} cross join lateral ${define(newestInScope)}`;

/** Reads the findings of the newest audit of each scope. */
export const newestFindings = sql`
  select ${newestInScope.findings.as('findings')} from ${define(wanted)} cross join lateral ${define(newestInScope)}`;

/** Deletes audits of new entries without findings that are older than an interval. */
export const deleteCleanAudits = (keptFor: string) => sql`
  delete from ${audit} where ${audit.scope} = 'new_entries' and ${audit.findingRow} is null
     and ${audit.finishedAt} < now() - ${keptFor}::interval`;
