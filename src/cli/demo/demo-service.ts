import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { redactApiKey } from '../../domain/api-key.js';
import { dataFilesOf } from '../../app/start/data-files.js';
import { dataDirHolder } from '../../platform/data-dir.js';
import { ApiClient } from '../api-client.js';
import { CommandFailure } from '../command.js';
import type { Cleanup } from './demo-cleanup.js';
import { poll } from '../poll.js';
import { readSandbox, type Sandbox } from '../sandbox-file.js';

const MAIN = fileURLToPath(new URL('../../main.js', import.meta.url));

const START_WITHIN_MS = 120_000;
const POLL_MS = 200;
const STOP_WITHIN_MS = 30_000;
const LINES_KEPT = 15;

/**
 * Returns the sandbox that runs on a data directory, or null. Waits for a service that holds the directory and does not answer
 * yet, as during its start.
 */
export async function awaitRunningSandbox(dataDir: string, onWait: () => void): Promise<Sandbox | null> {
  const running = await findRunningSandbox(dataDir);
  if (running !== null || (await dataDirHolder(dataDir)) === null) return running;
  onWait();
  const found = await poll(
    async () => (await findRunningSandbox(dataDir)) ?? ((await dataDirHolder(dataDir)) === null ? 'ended' : null),
    { everyMs: POLL_MS, withinMs: START_WITHIN_MS },
  );
  return found === 'ended' ? null : found;
}

/** Returns the sandbox that runs on a data directory, or null. The file alone proves nothing: it outlives the service. */
export async function findRunningSandbox(dataDir: string): Promise<Sandbox | null> {
  const sandbox = await readSandbox(dataDir);
  if (sandbox === null) return null;
  try {
    // With the key, since another service may use the port by now.
    await new ApiClient(sandbox.api_url, sandbox.api_key).get('/v1/networks', z.unknown());
    return sandbox;
  } catch (error) {
    if (error instanceof CommandFailure) return null;
    throw error;
  }
}

/**
 * Starts the service in its own process, with this process's environment. The cleanup stops it.
 * @throws CommandFailure with its last lines of output when it ends or takes too long.
 */
export async function startSandbox(dataDir: string, cleanup: Cleanup): Promise<Sandbox> {
  const before = await stampOf(dataDir);
  const child = spawn(process.execPath, ['--enable-source-maps', MAIN], { stdio: ['ignore', 'pipe', 'pipe'] });
  const words = lastLines(child);
  cleanup.add(() => stop(child));
  let failure: Error | null = null;
  child.once('error', (error) => (failure = error));
  const sandbox = await poll(
    async () => {
      if (failure !== null || hasEnded(child)) throw failed('The service did not start.', words, failure);
      const now = await stampOf(dataDir);
      return now === null || now === before ? null : readSandbox(dataDir);
    },
    { everyMs: POLL_MS, withinMs: START_WITHIN_MS },
  );
  if (sandbox !== null) return sandbox;
  throw failed(`The service was not ready within ${START_WITHIN_MS / 1000} s.`, words, null);
}

/** Returns a stamp that changes with each write of `sandbox.json`. The service writes it once it is ready. */
async function stampOf(dataDir: string): Promise<string | null> {
  const found = await stat(dataFilesOf(dataDir).sandbox, { bigint: true }).catch(() => null);
  return found === null ? null : `${found.ino} ${found.mtimeNs}`;
}

function lastLines(child: ChildProcess): string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface(stream).on('line', (line) => {
      lines.push(redactApiKey(line));
      if (lines.length > LINES_KEPT) lines.shift();
    });
  }
  return lines;
}

function failed(message: string, words: readonly string[], cause: Error | null): CommandFailure {
  const said = words.length === 0 ? '' : ` Its output:\n${words.map((line) => `        ${line}`).join('\n')}`;
  return new CommandFailure(`${message}${said}`, 'run npm start and npx coffer doctor', { cause });
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child) || child.pid === undefined) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = new AbortController();
  const inTime = await Promise.race([
    ended.then(() => true),
    sleep(STOP_WITHIN_MS, false, { signal: timer.signal }).catch(() => false),
  ]);
  timer.abort();
  if (!inTime) child.kill('SIGKILL');
  await ended;
}
