import { AuditSeal } from '../../audit-log/audit-seal.entity.js';
import { textsOf } from '../../audit-log/audit-texts.sql.js';
import { UnsealedAuditEntry } from '../../audit-log/unsealed-audit-entry.entity.js';
import { AuditEntry } from '../../platform/audit-entry.entity.js';
import { as } from '../../platform/sql/as.js';
import { all, define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';

const stored = table(AuditSeal);
const entry = table(AuditEntry);
const unsealed = table(UnsealedAuditEntry);

/** Reads the next seals above a sequence, each with what its entry says now; null when it is gone. */
export function nextAuditSeals(above: number, limit: number) {
  const seal = subselect(
    'seal',
    sql`select ${out(stored, 'sequence', 'entryId', 'contentHash', 'hash')} from ${stored}
         where ${stored.sequence} > ${above} order by ${stored.sequence} limit ${limit}`,
  );
  const said = textsOf(seal.entryId);
  return sql`
    select ${seal.sequence.as('sequence')}, ${seal.entryId.as('entryId')}, ${seal.contentHash.as('contentHash')},
           ${seal.hash.as('hash')}, ${all(said)}
      from ${define(seal)} left join lateral ${define(said)} on true order by ${seal.sequence}`;
}

/** Reads the hash of one seal. */
export const findAuditSeal = (sequence: number) =>
  sql`select ${out(stored, 'hash')} from ${stored} where ${stored.sequence} = ${sequence}`;

/** Finds entries that have no seal and do not wait for one, in the order of their ids. */
export const unsealedAuditEntries = sql`
  select 'audit_entry ' || ${entry.id} ${as.text('row')}, 'has no seal and does not wait for one' ${as.text('says')}
    from ${entry}
   where not exists (select from ${stored} where ${stored.entryId} = ${entry.id})
     and not exists (select from ${unsealed} where ${unsealed.entryId} = ${entry.id})
   order by ${entry.id}`;
