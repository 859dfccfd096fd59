import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/database/embedded-postgres.js';
import { prepareDatabase } from '../../src/app/start/prepare-database.js';
import { killProcessesOf } from './run-processes.js';

// Keeps the resources of a test run in a separate process until its standard input ends: it runs the PostgreSQL of the run,
// and at the end it kills the remaining processes of the run and removes its directory. A pipe ends with the process that
// holds its other side, so nothing outlives a run that crashed or was killed.

/**
 * The data need not survive a power failure, and two test processes with several pools each need many connections, whose
 * passwords are stretched as little as possible.
 */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  scram_iterations: '1',
};

/** Sets the passwords of both roles again, so that they are stored as the settings say: the cluster is older than these. */
async function restretchPasswords({ url, serviceUrl }: EmbeddedPostgres): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const { username, password } of [new URL(url), new URL(serviceUrl)]) {
      const secret = escapeLiteral(decodeURIComponent(password));
      await client.query(`alter role ${escapeIdentifier(decodeURIComponent(username))} password ${secret}`);
    }
  } finally {
    await client.end();
  }
}

/** Where specs build the service for this run. */
const BUILDS = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));

const [dir] = process.argv.slice(2);
if (dir === undefined) throw new Error('usage: run-keeper <directory of the run>');
// Only the end of its input ends this process.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => process.stdin.destroy());
await mkdir(dir, { recursive: true, mode: 0o711 });
const said: string[] = [];
const server = await startEmbeddedPostgres({
  dir: join(dir, 'pg'),
  preferredPort: 0,
  settings: SETTINGS,
  log: (line) => said.push(line),
});
try {
  // The server's own database becomes the template: migrated once, and copied with its grants by every spec.
  await prepareDatabase({ url: server.serviceUrl, ownerUrl: server.url }, true);
  await restretchPasswords(server);
  console.log(`${server.serviceUrl} ${server.url}`);
  process.stdin.resume();
  await once(process.stdin, 'close');
} finally {
  await server.stop();
  await killProcessesOf(dir, new Set([process.pid, process.ppid]));
  for (const path of [dir, join(BUILDS, basename(dir))]) await rm(path, { recursive: true, force: true });
}
