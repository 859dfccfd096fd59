import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Returns the command line of a running process, arguments joined by spaces; null when there is none, such as for an ended
 * process or a zombie, or when this machine does not show it.
 */
export function commandLineOf(pid: number): string | null {
  const line = process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
  return line === null || line === '' ? null : line;
}

function fromProc(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return null;
  }
}

function fromPs(pid: number): string | null {
  try {
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  } catch {
    return null;
  }
}
