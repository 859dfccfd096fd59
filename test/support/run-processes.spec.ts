import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killProcessesOf } from './run-processes.js';

let dir: string;
const started: ChildProcess[] = [];

/** A process that sleeps, with `TMPDIR` as given. */
function sleeper(temporary: string): ChildProcess {
  const child = spawn('sleep', ['600'], { env: { PATH: process.env['PATH'], TMPDIR: temporary }, stdio: 'ignore' });
  started.push(child);
  return child;
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'run-'));
});
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await rm(dir, { recursive: true, force: true });
});

// Other systems have no /proc.
const itOnLinux = process.platform === 'linux' ? it : it.skip;

describe('the end of a test run', () => {
  itOnLinux('kills only processes that were started with its directory or one inside', async () => {
    const ours = sleeper(join(dir, 'inner'));
    const gone = once(ours, 'exit');
    const spared = sleeper(dir);
    const others = sleeper(tmpdir());
    await killProcessesOf(dir, new Set([spared.pid ?? 0]));
    await gone;
    expect([ours, spared, others].map(({ signalCode }) => signalCode)).toEqual(['SIGKILL', null, null]);
  });
});
