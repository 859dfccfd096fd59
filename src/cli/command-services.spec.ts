import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Type } from '@nestjs/common';
import { inCommand } from '../../test/support/cli-run.js';
import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { eventually } from '../../test/support/eventually.js';
import { buildService } from '../../test/support/service-build.js';
import { query } from '../../test/support/sql.js';
import { LeaseKeeper } from '../platform/leases.js';
import { Metrics } from '../platform/metrics.js';
import { JobQueue } from '../platform/queue/job-queue.js';
import { JobRuns } from '../platform/queue/job-runs.js';
import { QueueServer } from '../platform/queue/queue-server.service.js';
import { RecurringJobs } from '../platform/recurring/recurring-jobs.service.js';
import { SecretBox } from '../platform/secret-box.js';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

/** Returns the modules that the sources of the commands import. */
async function modulesOfCommands(): Promise<Type[]> {
  const files = globSync('{commands,doctor}/*.ts', { cwd: import.meta.dirname }).filter(
    (file) => !file.endsWith('.spec.ts'),
  );
  const found = new Set<Type>();
  for (const file of files) {
    const path = join(import.meta.dirname, file);
    for (const [, specifier = ''] of readFileSync(path, 'utf8').matchAll(/from '(\S+\.module)\.js'/g)) {
      const exported: object = await import(pathToFileURL(join(dirname(path), `${specifier}.ts`)).href);
      for (const value of Object.values(exported)) found.add(value);
    }
  }
  return [...found];
}

/** Runs `work` and returns how many repeating timers it has started. */
async function intervalsDuring(work: () => Promise<void>): Promise<number> {
  const { setInterval } = globalThis;
  let count = 0;
  const counting = (...args: Parameters<typeof setInterval>): NodeJS.Timeout => {
    count += 1;
    return setInterval(...args);
  };
  globalThis.setInterval = Object.assign(counting, setInterval);
  try {
    await work();
  } finally {
    globalThis.setInterval = setInterval;
  }
  return count;
}

interface Connection {
  readonly application: string;
  /** The last statement. */
  readonly query: string;
}

/** The connections to the database, without the one of this query. */
const otherConnections = (): Promise<Connection[]> =>
  query(
    db.owner,
    `select application_name as application, query from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );

const isForJobs = ({ application, query: statement }: Connection): boolean =>
  application === 'coffer-queue' || /^listen/i.test(statement);

describe('the services of all commands together', () => {
  it('open without a key for secrets, and start no recurring job, no job worker and no listening connection', async () => {
    const modules = await modulesOfCommands();
    expect(modules.length).toBeGreaterThan(15);
    const hidden: Type[] = [RecurringJobs, QueueServer, JobQueue, JobRuns, LeaseKeeper, Metrics, SecretBox];
    const before = (await otherConnections()).length;
    const intervals = await intervalsDuring(() =>
      inCommand({ DATABASE_URL: db.url }, { modules, chains: true }, async ({ get, database }) => {
        for (const part of hidden) expect(() => get(part)).toThrow(part.name);
        await query(database, 'select 1');
        expect((await otherConnections()).filter(isForJobs)).toEqual([]);
      }),
    );
    expect(intervals).toBe(0);
    await eventually(async () => (await otherConnections()).length === before || undefined);
    expect(await db.query('select from lease')).toEqual([]);
  });

  it('name a service whose module the command did not request', async () => {
    await expect(
      inCommand({ DATABASE_URL: db.url }, { modules: [] }, async ({ get }) => get(JobQueue)),
    ).rejects.toThrow('JobQueue');
  });
});

it('a command ends its process by itself', async () => {
  const { main } = await buildService();
  const args = [join(dirname(main), 'cli.js'), 'withdrawals', 'waiting'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { DATABASE_URL: db.url } });
  expect(stdout).toMatch(/^WITHDRAWAL +AGE +MERCHANT/);
});
