import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolError, type PostgresTools } from './postgres-tools.js';
import { stopPostgres } from './stop-postgres.js';

/** A pid that is alive for the whole test: a server that has removed its file and is not reaped yet has such a pid. */
const PID = process.pid;

let dir: string;
let modes: string[];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coffer-stop-'));
  modes = [];
  await writeFile(join(dir, 'postmaster.pid'), `${PID}\n${dir}\n0\n5432\n\n127.0.0.1\n\nready   \n`);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** A pg_ctl that fails after `before` has run. */
const failing = (before: (mode: string) => Promise<void>): PostgresTools => ({
  run: async (_tool, args) => {
    const mode = args.at(-1) ?? '';
    modes.push(mode);
    await before(mode);
    throw new ToolError('pg_ctl', 'PID file does not exist', undefined);
  },
  handOver: () => Promise.resolve(),
});

const removeFile = (): Promise<void> => rm(join(dir, 'postmaster.pid'));

it('succeeds when another stop ends the server before pg_ctl reads its file', async () => {
  await stopPostgres(dir, failing(removeFile), PID);
  expect(modes).toEqual(['fast']);
});

it('succeeds when another stop ends the server before the second call of pg_ctl', async () => {
  const tools = failing((mode) => (mode === 'immediate' ? removeFile() : Promise.resolve()));
  await stopPostgres(dir, tools, PID);
  expect(modes).toEqual(['fast', 'immediate']);
});

it('throws the error of pg_ctl when the server still runs after both ways to stop it', async () => {
  await expect(
    stopPostgres(
      dir,
      failing(() => Promise.resolve()),
      PID,
    ),
  ).rejects.toThrow('pg_ctl failed');
  expect(modes).toEqual(['fast', 'immediate']);
});

it('does not call pg_ctl when the file names another server', async () => {
  await stopPostgres(dir, failing(removeFile), PID + 1);
  expect(modes).toEqual([]);
});
