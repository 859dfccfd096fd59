import { type Client, escapeIdentifier } from 'pg';
import { hasErrorCode } from '../processes.js';
import { QUEUE_NAMES } from './jobs.js';

/** BullMQ's own `DEFAULT_SCHEMA` and `LATEST_SCHEMA_VERSION`. A command starts without BullMQ, which takes long to load. */
const SCHEMA_NAME = 'bullmq';
const SCHEMA_VERSION = 11;

const SCHEMA = escapeIdentifier(SCHEMA_NAME);

/** Creates or migrates BullMQ's schema under BullMQ's own lock. The caller's role must own the schema. */
export async function migrateQueue(client: Client): Promise<void> {
  if ((await schemaVersion(client)) !== SCHEMA_VERSION) {
    const { runMigrations } = await import('bullmq');
    await runMigrations(client, SCHEMA_NAME);
  }
  // BullMQ would create the sequence of a queue with its first job, which the service's role may not do.
  for (const name of QUEUE_NAMES) {
    await client.query(
      `select ${SCHEMA}.next_job_id($1) where to_regclass('${SCHEMA_NAME}.' || ${SCHEMA}.job_id_seq_name($1)) is null`,
      [name],
    );
  }
}

/** Whether BullMQ's schema exists, this role can read it, and it is as new as this process needs. */
export async function isQueueMigrated(client: Client): Promise<boolean> {
  return (await schemaVersion(client)) >= SCHEMA_VERSION;
}

/** 0 where there is no such schema, or this role may not read it. */
async function schemaVersion(client: Client): Promise<number> {
  try {
    const { rows } = await client.query<{ version: number | null }>(
      `select max(version) as version from ${SCHEMA}.migration`,
    );
    return rows[0]?.version ?? 0;
  } catch (error) {
    // 42P01, 3F000: the table or the schema does not exist. 42501: no right to read it.
    if (hasErrorCode(error, '42P01', '3F000', '42501')) return 0;
    throw error;
  }
}

/** Whether a role has no right to some part of the schema. Only BullMQ itself writes the table of its migrations. */
const MISSING_RIGHTS = `
  select coalesce(bool_or(case relkind when 'S' then not has_sequence_privilege($1, oid, 'usage')
           else not (has_table_privilege($1, oid, 'select') and has_table_privilege($1, oid, 'insert')
                     and has_table_privilege($1, oid, 'update') and has_table_privilege($1, oid, 'delete')) end), true)
         as is_missing
    from pg_class
   where relnamespace = '${SCHEMA_NAME}'::regnamespace and relkind in ('r', 'S') and relname <> 'migration'`;

/** Grants `role` all rights on jobs. Jobs are only hints of due work, so every change is allowed. */
export async function grantQueue(owner: Client, role: string): Promise<void> {
  const { rows } = await owner.query<{ is_missing: boolean }>(MISSING_RIGHTS, [role]);
  if (rows[0]?.is_missing === false) return;
  const to = escapeIdentifier(role);
  await owner.query(
    [
      'begin',
      `grant usage on schema ${SCHEMA} to ${to}`,
      `grant select, insert, update, delete on all tables in schema ${SCHEMA} to ${to}`,
      `grant usage on all sequences in schema ${SCHEMA} to ${to}`,
      `revoke insert, update, delete on ${SCHEMA}.migration from ${to}`,
      'commit',
    ].join(';\n'),
  );
}
