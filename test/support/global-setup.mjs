import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { makeMemoryDir } from './memory-disk.mjs';

/**
 * Starts the PostgreSQL of the run; test processes find its migrated template database in TEST_DATABASE_URL, as the
 * role of the service, and in TEST_OWNER_URL. What it returns stops it, and waits until it is gone.
 */
export default async function setUp() {
  const memoryDir = await makeMemoryDir();
  if (memoryDir !== null) process.env.TMPDIR = memoryDir.path;
  const file = (name) => new URL(name, import.meta.url);
  const child = spawn(
    process.execPath,
    ['--no-warnings', '--import', file('typescript-hooks.mjs').href, file('postgres-server.ts').pathname],
    // Detached, so that Ctrl-C reaches the run only; the server then stops in order because its input has ended.
    { stdio: ['pipe', 'pipe', 'inherit'], detached: true },
  );
  const ended = once(child, 'exit');
  const [urls] = await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
  if (typeof urls !== 'string') throw new Error('PostgreSQL for the tests did not start.');
  [process.env.TEST_DATABASE_URL, process.env.TEST_OWNER_URL] = urls.split(' ');
  return async () => {
    child.stdin.end();
    await ended;
    await memoryDir?.remove();
  };
}
