import type { Config } from '../platform/config.js';
import { type DataDirLock, lockDataDir } from '../platform/data-dir.js';
import { findRunningEmbeddedPostgres, startEmbeddedPostgres } from '../platform/database/embedded-postgres.js';
import { waitFor } from '../platform/processes.js';
import { dataFilesOf } from '../app/start/data-files.js';
import type { DatabaseAddresses } from '../app/start/prepare-database.js';

/** A service that is starting holds the lock of the data directory, and its database answers within this time. */
const JOIN_WITHIN_MS = 20_000;

/** A PostgreSQL server that a command may use. */
export interface DatabaseServer extends DatabaseAddresses {
  /** Stops the server, if it was started for the command. */
  close(): Promise<void>;
}

/**
 * Opens the server of `DATABASE_URL`, or the embedded one of `DATA_DIR`. If that one does not run, it is started here and
 * stopped at the end.
 * @throws Error when another process holds the data directory and its database does not answer.
 */
export async function openDatabaseServer(config: Config, log: (line: string) => void): Promise<DatabaseServer> {
  const { url, ownerUrl } = config.database;
  if (url !== null) return { url, ownerUrl, close: async () => undefined };
  const dir = dataFilesOf(config.dataDir).postgres;
  let refusal: unknown;
  const server = await waitFor(async () => {
    const running = await findRunningEmbeddedPostgres(dir);
    if (running !== null) {
      return { url: running.serviceUrl, ownerUrl: running.url, close: async () => undefined };
    }
    try {
      return await startOwn(dir, await lockDataDir(config.dataDir), log);
    } catch (error) {
      refusal = error;
      return null;
    }
  }, JOIN_WITHIN_MS);
  if (server === null) throw refusal;
  return server;
}

async function startOwn(dir: string, lock: DataDirLock, log: (line: string) => void): Promise<DatabaseServer> {
  try {
    const postgres = await startEmbeddedPostgres({ dir, log });
    return {
      url: postgres.serviceUrl,
      ownerUrl: postgres.url,
      close: async () => {
        if (!postgres.adopted) await postgres.stop();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
