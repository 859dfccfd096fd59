import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded-postgres.js';
import { prepareDatabase } from '../../src/start/prepare-database.js';

// The PostgreSQL of one test run, in a process of its own: it serves until its standard input ends. A pipe ends with the
// process that holds its other side, however that one dies, so no server outlives a run that crashed or was killed.

/** Nothing here needs to survive a power cut, and two test processes with several pools each need many connections. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' };

const parent = await mkdtemp(join(tmpdir(), 'coffer-test-'));
await chmod(parent, 0o711);
const said: string[] = [];
const server = await startEmbeddedPostgres({
  dir: join(parent, 'pg'),
  preferredPort: 0,
  settings: SETTINGS,
  log: (line) => said.push(line),
});
try {
  // The server's own database becomes the template: migrated once, copied with its grants by every spec that wants one.
  await prepareDatabase({ url: server.serviceUrl, ownerUrl: server.url }, true);
  console.log(`${server.serviceUrl} ${server.url}`);
  process.stdin.resume();
  process.on('SIGTERM', () => process.stdin.destroy());
  await once(process.stdin, 'close');
} finally {
  await server.stop();
  await rm(parent, { recursive: true, force: true });
}
