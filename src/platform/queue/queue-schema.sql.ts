import { escapeIdentifier } from 'pg';
import { as } from '../sql/as.js';
import { raw, sql } from '../sql/sql.js';

/** BullMQ's own `DEFAULT_SCHEMA`. */
export const SCHEMA_NAME = 'bullmq';

const schema = raw(escapeIdentifier(SCHEMA_NAME));

/** Reads the version of BullMQ's schema. */
export const newestVersion = sql`select max(version) ${as.intOrNull('version')} from ${schema}.migration`;

/** Creates the sequence of the ids of a queue's jobs, unless it exists. */
export const startJobIds = (queue: string) => sql`
  select ${schema}.next_job_id(${queue})
   where to_regclass(${SCHEMA_NAME} || '.' || ${schema}.job_id_seq_name(${queue})) is null`;

/** Reads whether a role lacks a right on a part of the schema. Only BullMQ itself writes the table of its migrations. */
export const missingRightsOf = (role: string) => sql`
  select coalesce(bool_or(case relkind when 'S' then not has_sequence_privilege(${role}, oid, 'usage')
           else not (has_table_privilege(${role}, oid, 'select') and has_table_privilege(${role}, oid, 'insert')
                     and has_table_privilege(${role}, oid, 'update')
                     and has_table_privilege(${role}, oid, 'delete')) end), true) ${as.boolean('isMissing')}
    from pg_class
   where relnamespace = ${SCHEMA_NAME}::regnamespace and relkind in ('r', 'S') and relname <> 'migration'`;
