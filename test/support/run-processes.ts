import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasErrorCode } from '../../src/platform/processes.js';

const POLL_MS = 50;
const TRIES_MAX = 100;

/**
 * Kills every process that was started with this directory in its environment (as `TMPDIR`, `DATA_DIR` or another name),
 * until none is left: services and chains outlive their spec when it fails half-way or its process is
 * killed. `spared` are not killed. It finds processes in Linux's /proc, and none on other systems.
 */
export async function killProcessesOf(dir: string, spared: ReadonlySet<number>): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const pids = processesOf(dir).filter((pid) => !spared.has(pid));
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
    await sleep(POLL_MS);
  }
}

function processesOf(dir: string): number[] {
  const mark = `=${dir}`;
  return numbersIn('/proc').filter((pid) => environmentOf(pid).includes(mark));
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isSafeInteger);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Empty when the process has ended, or belongs to another user. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!hasErrorCode(error, 'ESRCH')) throw error;
  }
}
