import { type Client, escapeIdentifier } from 'pg';
import { hasErrorCode } from '../processes.js';
import { QUEUE_NAMES } from './jobs.js';

/** BullMQ's own `DEFAULT_SCHEMA` and `LATEST_SCHEMA_VERSION`. A command starts without BullMQ, which takes long to load. */
const SCHEMA_NAME = 'bullmq';
const SCHEMA_VERSION = 11;

const SCHEMA = escapeIdentifier(SCHEMA_NAME);

/** Makes BullMQ's schema or brings it up to date, under a lock of its own, for a caller who may create things. */
export async function migrateQueue(client: Client): Promise<void> {
  if ((await schemaVersion(client)) !== SCHEMA_VERSION) {
    const { runMigrations } = await import('bullmq');
    await runMigrations(client, SCHEMA_NAME);
  }
  // BullMQ makes the sequence of a queue with its first job, which the service's role could not do.
  for (const name of QUEUE_NAMES) {
    await client.query(
      `select ${SCHEMA}.next_job_id($1) where to_regclass('${SCHEMA_NAME}.' || ${SCHEMA}.job_id_seq_name($1)) is null`,
      [name],
    );
  }
}

/** Whether BullMQ's schema is there, readable for this role, and as new as this process needs it. */
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
    // 42P01, 3F000: there is no such table, or schema. 42501: it may not be read.
    if (hasErrorCode(error, '42P01', '3F000', '42501')) return 0;
    throw error;
  }
}

/** Whether anything of the schema is closed to a role. BullMQ alone writes down its migrations. */
const LACKS = `
  select coalesce(bool_or(case relkind when 'S' then not has_sequence_privilege($1, oid, 'usage')
           else not (has_table_privilege($1, oid, 'select') and has_table_privilege($1, oid, 'insert')
                     and has_table_privilege($1, oid, 'update') and has_table_privilege($1, oid, 'delete')) end), true)
         as lacks
    from pg_class
   where relnamespace = '${SCHEMA_NAME}'::regnamespace and relkind in ('r', 'S') and relname <> 'migration'`;

/** Lets `role` work with jobs. They are hints of what is due, and no books: all of them may be changed. */
export async function grantQueue(owner: Client, role: string): Promise<void> {
  const { rows } = await owner.query<{ lacks: boolean }>(LACKS, [role]);
  if (rows[0]?.lacks === false) return;
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
