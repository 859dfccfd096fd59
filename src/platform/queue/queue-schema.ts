import { type Client, escapeIdentifier } from 'pg';
import { hasErrorCode } from '../processes.js';
import { rowsOn } from '../sql/rows-on.js';
import { QUEUE_NAMES } from './jobs.js';
import { missingRightsOf, newestVersion, SCHEMA_NAME, startJobIds } from './queue-schema.sql.js';

/** BullMQ's own `LATEST_SCHEMA_VERSION`. A command starts without BullMQ, which takes long to load. */
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
    await rowsOn(client, startJobIds(name));
  }
}

/** Whether BullMQ's schema exists, this role can read it, and it is as new as this process needs. */
export async function isQueueMigrated(client: Client): Promise<boolean> {
  return (await schemaVersion(client)) >= SCHEMA_VERSION;
}

/** 0 where there is no such schema, or this role may not read it. */
async function schemaVersion(client: Client): Promise<number> {
  try {
    const [row] = await rowsOn(client, newestVersion);
    return row?.version ?? 0;
  } catch (error) {
    // 42P01, 3F000: the table or the schema does not exist. 42501: no right to read it.
    if (hasErrorCode(error, '42P01', '3F000', '42501')) return 0;
    throw error;
  }
}

/** Grants `role` all rights on jobs. Jobs are only hints of due work, so every change is allowed. */
export async function grantQueue(owner: Client, role: string): Promise<void> {
  const [rights] = await rowsOn(owner, missingRightsOf(role));
  if (rights?.isMissing === false) return;
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
