import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statfs } from 'node:fs/promises';
import { createInterface } from 'node:readline';

const MEMORY_DISK = '/dev/shm';
const MEMORY_DISK_MIN_BYTES = 2 * 1024 ** 3;

/**
 * Where the server keeps its files: in memory where there is a disk of it, since every spec copies a database, and a
 * third of the kernel's work would be those files; else where temporary files lie.
 */
async function placeOfFiles() {
  const disk = await statfs(MEMORY_DISK).catch(() => null);
  const hasRoom = disk !== null && disk.bavail * disk.bsize > MEMORY_DISK_MIN_BYTES;
  return hasRoom ? { TMPDIR: MEMORY_DISK } : {};
}

/** Starts the PostgreSQL of the run; test processes find its migrated template database in TEST_DATABASE_URL. */
export default async function setUp() {
  const file = (name) => new URL(name, import.meta.url);
  const child = spawn(
    process.execPath,
    ['--no-warnings', '--import', file('typescript-hooks.mjs').href, file('postgres-server.ts').pathname],
    // Detached, so that Ctrl-C reaches the run only; the server then stops in order because its input has ended.
    { stdio: ['pipe', 'pipe', 'inherit'], detached: true, env: { ...process.env, ...(await placeOfFiles()) } },
  );
  const ended = once(child, 'exit');
  const [url] = await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
  if (typeof url !== 'string') throw new Error('PostgreSQL for the tests did not start.');
  process.env.TEST_DATABASE_URL = url;
  globalThis.stopTestPostgres = async () => {
    child.stdin.end();
    await ended;
  };
}
