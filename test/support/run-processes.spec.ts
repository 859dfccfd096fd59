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

// Elsewhere there is no /proc to find them by.
const itOnLinux = process.platform === 'linux' ? it : it.skip;

describe('the end of a test run', () => {
  itOnLinux('kills what was started with its directory or one inside, and nothing else', async () => {
    const ours = sleeper(join(dir, 'inner'));
    const gone = once(ours, 'exit');
    const spared = sleeper(dir);
    const others = sleeper(tmpdir());
    await killProcessesOf(dir, new Set([spared.pid ?? 0]));
    await gone;
    expect([ours, spared, others].map(({ signalCode }) => signalCode)).toEqual(['SIGKILL', null, null]);
  });
});
