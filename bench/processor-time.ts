import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const TICKS_PER_SECOND = 100;

/** Returns the user and system time of a process so far. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // "pid (name) state ...": the name may hold blanks. utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Returns the share of a core that a process uses over the next milliseconds, in percent. */
export async function processorShare(pid: number, watchMs: number): Promise<number> {
  const [from, startedAt] = [cpuSeconds(pid), performance.now()];
  await sleep(watchMs);
  return ((cpuSeconds(pid) - from) / ((performance.now() - startedAt) / 1000)) * 100;
}
