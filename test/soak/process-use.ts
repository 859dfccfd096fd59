import { readdirSync, readFileSync } from 'node:fs';

/** The resources of a process by the kernel; Linux only. */
export interface ProcessUse {
  /** Memory in use, in MiB. */
  readonly residentMb: number;
  /** Files, sockets and timers of the kernel. */
  readonly handles: number;
}

export function useOf(pid: number): ProcessUse {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return { residentMb: Number(kilobytes) / 1024, handles: readdirSync(`/proc/${pid}/fd`).length };
}
