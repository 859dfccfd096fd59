import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { parseConfig } from '../platform/config.js';
import { lockDataDir } from '../platform/data-dir.js';
import { findRunningEmbeddedPostgres, startEmbeddedPostgres } from '../platform/database/embedded-postgres.js';
import { dataFilesOf } from '../app/start/data-files.js';
import { openDatabaseServer } from './database-server.js';

const quiet = (): void => undefined;

describe('the database of a command', () => {
  let dir: string;
  const postgresDir = (): string => dataFilesOf(dir).postgres;
  const configOf = (): ReturnType<typeof parseConfig> => parseConfig({ DATA_DIR: dir });

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'coffer-cli-'));
    // As root, PostgreSQL runs as another user, who needs access to the directory.
    await chmod(dir, 0o711);
  });

  afterAll(() => rm(dir, { recursive: true }));

  it('is started if none runs, and stopped with the data directory released', async () => {
    const server = await openDatabaseServer(configOf(), quiet);
    const client = new pg.Client({ connectionString: server.ownerUrl ?? '' });
    await client.connect();
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    await server.close();
    expect(await findRunningEmbeddedPostgres(postgresDir())).toBeNull();
    await (await lockDataDir(dir)).release();
  });

  it('is the one of the running service, which continues afterwards', async () => {
    const lock = await lockDataDir(dir);
    const running = await startEmbeddedPostgres({ dir: postgresDir(), preferredPort: 0, log: quiet });
    try {
      const server = await openDatabaseServer(configOf(), quiet);
      expect(server).toMatchObject({ url: running.serviceUrl, ownerUrl: running.url });
      await server.close();
      expect(await findRunningEmbeddedPostgres(postgresDir())).toMatchObject({ url: running.url });
    } finally {
      await running.stop();
      await lock.release();
    }
  });

  it('is awaited while a service is starting', async () => {
    const lock = await lockDataDir(dir);
    const opening = openDatabaseServer(configOf(), quiet);
    const running = await startEmbeddedPostgres({ dir: postgresDir(), preferredPort: 0, log: quiet });
    try {
      const server = await opening;
      expect(server).toMatchObject({ url: running.serviceUrl, ownerUrl: running.url });
      await server.close();
    } finally {
      await running.stop();
      await lock.release();
    }
  });
});
