import { createPostgresBackend, DEFAULT_SCHEMA } from 'bullmq';
import { Pool } from 'pg';
import { withTimeout } from '../with-timeout.js';
import { QUEUE_NAMES } from './jobs.js';
import { connectedBy, withPauseAfterFailure, type QueueBackend } from './queue-backend.js';

/** Connections for statements; each worker holds one more for LISTEN. */
const STATEMENT_CONNECTIONS = 4;
const CONNECT_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 2_000;
const QUERY_TIMEOUT_MS = 10_000;

/** BullMQ names no schema in its statements, so the search path must be its schema. */
const SESSION = `-c search_path=${DEFAULT_SCHEMA} -c statement_timeout=5000`;

/**
 * Opens the queue in the service's own PostgreSQL, in the schema `bullmq`, which `prepareDatabase` has created. All queues
 * and workers of the process share one small pool.
 * @throws Error when the database cannot be reached.
 */
export async function openPostgresBackend(
  databaseUrl: string,
  onError: QueueBackend['onError'],
): Promise<QueueBackend> {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: STATEMENT_CONNECTIONS + QUEUE_NAMES.length,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'coffer-queue',
    options: SESSION,
  });
  pool.on('error', onError);
  // BullMQ listens for errors of a connection only a moment after it has it. One that is cut before would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  await pool.query('select 1').catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  const connectQueue = connectedBy(createPostgresBackend, pool);
  return {
    connectQueue,
    connectWorker: withPauseAfterFailure(connectQueue),
    onError,
    // Statements fail within their time limit, so that a close ends.
    isConnected: () => true,
    ping: async () => {
      await pool.query('select 1');
    },
    close: async () => {
      await withTimeout(pool.end(), CLOSE_TIMEOUT_MS);
    },
  };
}
