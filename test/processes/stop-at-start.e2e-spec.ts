import { readdir, readFile } from 'node:fs/promises';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { sandboxDir, type SandboxDir } from '../support/sandbox-dir.js';
import { bundleService } from '../support/service-build.js';
import { ServiceProcess } from '../support/service-process.js';

let dir: SandboxDir;
let db: TestDatabase;

beforeAll(async () => {
  [dir, db] = await Promise.all([sandboxDir(), freshDatabase()]);
});
afterAll(async () => {
  await dir.remove();
  await db.drop();
});

it('a service that is stopped while it starts ends in order, and leaves no development chain behind', async () => {
  const env = { DATABASE_URL: db.url, DEV_CHAINS: 'polygon' };
  const service = ServiceProcess.spawn(await bundleService(), { dataDir: dir.path, env });
  await eventually(() => anvilsOf(dir.path), 60_000);
  expect(service.printed).toBe('');
  const exit = await service.stop();
  // What it printed says why it failed.
  expect({ ...exit, failure: exit.code === 0 ? '' : service.printed }).toEqual({ code: 0, signal: null, failure: '' });
  expect(service.printed).not.toContain('coffer:');
  expect(await anvilsOf(dir.path)).toBe(0);
});

/** Counts the anvil processes that keep their state in this directory. */
async function anvilsOf(path: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return commands.filter((command) => command.includes('anvil') && command.includes(path)).length;
}
