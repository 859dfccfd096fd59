import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { redactApiKey } from '../../domain/api-key.js';
import { dataFilesOf } from '../../app/start/data-files.js';
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

/** The sandbox that runs on a data directory now, or null: the file alone proves nothing, since it outlives the service. */
export async function findRunningSandbox(dataDir: string): Promise<Sandbox | null> {
  const sandbox = await readSandbox(dataDir);
  if (sandbox === null) return null;
  try {
    // With the key: another service may have got the port since.
    await new ApiClient(sandbox.api_url, sandbox.api_key).get('/v1/networks', z.unknown());
    return sandbox;
  } catch (error) {
    if (error instanceof CommandFailure) return null;
    throw error;
  }
}

/**
 * Starts the service as a process of its own, with this process's environment, until the cleanup.
 * @throws CommandFailure with its last words when it ends, or with none when it takes too long.
 */
export async function startSandbox(dataDir: string, cleanup: Cleanup): Promise<Sandbox> {
  const before = await stampOf(dataDir);
  const child = spawn(process.execPath, ['--enable-source-maps', MAIN], { stdio: ['ignore', 'pipe', 'pipe'] });
  const words = lastWords(child);
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

/** Changes whenever `sandbox.json` is written, which the service does once it is ready. */
async function stampOf(dataDir: string): Promise<string | null> {
  const found = await stat(dataFilesOf(dataDir).sandbox, { bigint: true }).catch(() => null);
  return found === null ? null : `${found.ino} ${found.mtimeNs}`;
}

function lastWords(child: ChildProcess): string[] {
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
  const said = words.length === 0 ? '' : ` It said:\n${words.map((line) => `        ${line}`).join('\n')}`;
  return new CommandFailure(`${message}${said}`, 'npm start, and npx coffer doctor', { cause });
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
