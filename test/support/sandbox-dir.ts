import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { commandLineOf } from '../../src/devtools/devnet/command-line.js';
import { isPidAlive, waitFor } from '../../src/platform/processes.js';

/** A data directory for a service that tests kill. */
export interface SandboxDir {
  readonly path: string;
  /** Kills the database and the chains that run in it, like a power failure, and waits for their end. */
  killAll(): Promise<void>;
  /** Ends the processes that a killed service has left in it, and removes it. */
  remove(): Promise<void>;
}

export async function sandboxDir(): Promise<SandboxDir> {
  const path = await mkdtemp(join(tmpdir(), 'coffer-crash-'));
  // PostgreSQL may run as another user and must be able to enter.
  await chmod(path, 0o711);
  const pids = async (): Promise<number[]> => [...(await chainPids(path)), ...(await postmasterPids(path))];
  return {
    path,
    killAll: async () => void (await Promise.all((await pids()).map((pid) => end(pid, path, 'SIGKILL')))),
    remove: async () => {
      for (const pid of await pids()) await end(pid, path, 'SIGQUIT');
      await rm(path, { recursive: true, force: true });
    },
  };
}

async function chainPids(path: string): Promise<number[]> {
  const dir = join(path, 'devnet');
  const files = (await readdir(dir).catch(() => [])).filter((name) => /^[a-z]+\.json$/.test(name));
  const records = await Promise.all(files.map((name) => readFile(join(dir, name), 'utf8')));
  return records.map((text) => z.object({ pid: z.number() }).parse(JSON.parse(text)).pid);
}

async function postmasterPids(path: string): Promise<number[]> {
  const text = await readFile(join(path, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(text.split('\n', 1)[0]);
  return pid > 0 ? [pid] : [];
}

/** SIGQUIT is PostgreSQL's immediate stop, and ends anvil too. Only a process of this directory is touched. */
async function end(pid: number, path: string, signal: 'SIGQUIT' | 'SIGKILL'): Promise<void> {
  if (commandLineOf(pid)?.includes(path) !== true) return;
  process.kill(pid, signal);
  await waitFor(() => (isPidAlive(pid) ? null : true), 5_000);
}
