import { AuditEntry } from '../platform/audit-entry.entity.js';
import { as } from '../platform/sql/as.js';
import { subselect } from '../platform/sql/relation.js';
import { sql, type SqlText } from '../platform/sql/sql.js';
import { table } from '../platform/sql/table.js';

const entry = table(AuditEntry);

/** The columns of an audit entry as its hash covers them (`AuditTexts`), for a lateral join. */
export const textsOf = (entryId: SqlText) =>
  subselect(
    'said',
    sql`select ${entry.id}::text ${as.textOrNull('id')}, ${entry.actor} ${as.textOrNull('actor')},
               ${entry.action} ${as.textOrNull('action')}, ${entry.subject} ${as.textOrNull('subject')},
               ${entry.reason} ${as.textOrNull('reason')}, ${entry.details}::text ${as.textOrNull('details')},
               ${entry.address} ${as.textOrNull('address')}, ${entry.requestId} ${as.textOrNull('requestId')},
               ${entry.environment} ${as.textOrNull('environment')}, ${entry.role} ${as.textOrNull('role')},
               ${entry.before}::text ${as.textOrNull('before')}, ${entry.after}::text ${as.textOrNull('after')},
               to_char(${entry.createdAt} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') ${as.textOrNull('createdAt')}
          from ${entry} where ${entry.id} = ${entryId}`,
  );
