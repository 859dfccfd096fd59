import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { makeRunDirectory } from './run-directory.mjs';

/**
 * Starts the keeper of the run with its PostgreSQL. Test processes find its migrated template database in
 * TEST_DATABASE_URL, as the role of the service, and in TEST_OWNER_URL. It returns a function that ends the keeper and waits
 * until all processes and files of the run are removed.
 */
export default async function setUp() {
  const directory = await makeRunDirectory();
  process.env.TMPDIR = directory;
  const file = (name) => new URL(name, import.meta.url);
  const flags = ['--no-warnings', '--import', file('typescript-hooks.mjs').href];
  const child = spawn(process.execPath, [...flags, file('run-keeper.ts').pathname, directory], {
    // Detached, so that Ctrl-C reaches only the run; the keeper then cleans up because its input has ended.
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = once(child, 'exit');
  const [urls] = await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
  if (typeof urls !== 'string') throw new Error('PostgreSQL for the tests did not start.');
  [process.env.TEST_DATABASE_URL, process.env.TEST_OWNER_URL] = urls.split(' ');
  globalThis.endTestRun = async () => {
    child.stdin.end();
    await ended;
  };
}
