import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrorCode } from '../processes.js';

/** The content of `postmaster.pid`. The file of a killed server remains. */
export interface Postmaster {
  readonly pid: number;
  /** Null while the server has not opened its port yet. */
  readonly port: number | null;
  /** Whether the server also listens on a Unix socket. */
  readonly hasSocket: boolean;
  /** `starting`, `ready`, `stopping`, or empty before the first of them. */
  readonly status: string;
}

// Line numbers, from 0, of PostgreSQL's src/include/utils/pidfile.h.
const PID_LINE = 0;
const PORT_LINE = 3;
const SOCKET_DIRECTORY_LINE = 4;
const STATUS_LINE = 7;

/** Reads `postmaster.pid` of a data directory; null when there is none. */
export async function readPostmaster(dir: string): Promise<Postmaster | null> {
  const lines = (await readIfPresent(join(dir, 'postmaster.pid')))?.split('\n') ?? [];
  const line = (place: number): string => lines[place]?.trim() ?? '';
  const pid = Number(line(PID_LINE));
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return {
    pid,
    port: Number(line(PORT_LINE)) || null,
    hasSocket: line(SOCKET_DIRECTORY_LINE) !== '',
    status: line(STATUS_LINE),
  };
}

/** The port of the last start, which PostgreSQL keeps in `postmaster.opts`; null before the first. */
export async function readLastPort(dir: string): Promise<number | null> {
  const options = await readIfPresent(join(dir, 'postmaster.opts'));
  const port = options?.match(/"-p" "(\d+)"/)?.[1];
  return port === undefined ? null : Number(port);
}

/** Returns the text of a file, or null when the file or its directory is missing. */
export async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return null;
    throw error;
  }
}
