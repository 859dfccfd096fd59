import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const PORT_MAX = 65_535;
const PORT_TRIES_MAX = 100;
const POLL_MS = 50;

/** Whether an error of a system call or of PostgreSQL has one of these codes, such as `ENOENT`. */
export function hasErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && codes.some((code) => code === error.code);
}

/**
 * Whether a process with this id runs, ours or another user's. A zombie does not, although it keeps its id until its
 * parent reaps it. A reused id counts as alive: verify the identity of the process itself.
 */
export function isPidAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return hasErrorCode(error, 'EPERM');
  }
}

function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // "pid (name) state ...": the name may contain anything, even parentheses.
    return stat.startsWith('Z', stat.lastIndexOf(')') + 2);
  } catch {
    // No /proc, as on macOS, or the process has ended since.
    return false;
  }
}

/** Whether a server could listen on this port of 127.0.0.1 now. That can change at any moment. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await tryPort(port)) !== null;
}

/**
 * Returns the first free port of 127.0.0.1 from `first` upward, or any free one for 0.
 * @throws Error when none of the next 100 ports is free.
 */
export async function findFreePort(first: number): Promise<number> {
  const last = Math.min(first + PORT_TRIES_MAX - 1, PORT_MAX);
  for (let port = first; port <= last; port += 1) {
    const free = await tryPort(port);
    if (free !== null) return free;
  }
  throw new Error(`No port between ${first} and ${last} is free on 127.0.0.1.`);
}

/** Listens briefly and returns the port, or null when it is taken. */
async function tryPort(port: number): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  const server = createServer();
  server.once('error', (error) => (hasErrorCode(error, 'EADDRINUSE', 'EACCES') ? resolve(null) : reject(error)));
  server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : null));
  });
  return promise;
}

/** Calls `probe` until it returns something other than null; returns null after the timeout. */
export async function waitFor<T>(probe: () => Promise<T | null> | T | null, timeoutMs: number): Promise<T | null> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await probe();
    if (answer !== null || performance.now() >= deadline) return answer;
    await sleep(POLL_MS);
  }
}
