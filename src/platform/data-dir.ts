import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hasErrorCode, isPidAlive } from './processes.js';

/** PostgreSQL may run as another user and must be able to pass through; only the owner may list the directory. */
const DIRECTORY_MODE = 0o711;
const SECRET_MODE = 0o600;
const SQLITE_BUSY = 5;
const PID_FILE = 'service.pid';

/** The right to use a data directory. One service at a time holds it, and a killed one loses it at once. */
export interface DataDirLock {
  readonly dir: string;
  release(): Promise<void>;
}

/** Keeps the held locks reachable: a garbage-collected handle would close its file, and that unlocks it. */
const held = new Set<DatabaseSync>();

/**
 * Locks the data directory for this process, and creates it when it is missing.
 * @throws Error that names the process that holds it.
 */
export async function lockDataDir(dir: string): Promise<DataDirLock> {
  await createDataDir(dir);
  const pidFile = join(dir, PID_FILE);
  const handle = await acquire(dir, pidFile);
  held.add(handle);
  await writeSecretFile(pidFile, `${process.pid}\n`);
  return {
    dir,
    release: async () => {
      if (!held.delete(handle)) return;
      // In this order: after the close the file may belong to the next holder.
      await rm(pidFile, { force: true });
      handle.close();
    },
  };
}

/**
 * Returns the id of the process that holds a data directory, or null when none does. A killed process leaves its id behind, and
 * another process may have got it since.
 */
export async function dataDirHolder(dir: string): Promise<number | null> {
  const pid = Number(await readSecretFile(join(dir, PID_FILE)));
  return pid > 0 && isPidAlive(pid) ? pid : null;
}

/**
 * Node has no file locks, but an exclusive transaction of SQLite is one: the kernel holds it (fcntl) and releases it when
 * the process dies. So there are no stale locks, no reused pids, and no race between two processes that take over. The
 * file stays empty; `service.pid` only serves the error message.
 */
async function acquire(dir: string, pidFile: string): Promise<DatabaseSync> {
  const lockFile = join(dir, 'service.lock');
  const handle = new DatabaseSync(lockFile, { open: false, timeout: 0 });
  try {
    handle.open();
    handle.exec('BEGIN EXCLUSIVE');
    await chmod(lockFile, SECRET_MODE);
    return handle;
  } catch (error) {
    if (handle.isOpen) handle.close();
    if (!isBusy(error)) throw new Error(`Cannot lock the data directory ${dir}.`, { cause: error });
    const pid = (await readSecretFile(pidFile))?.trim() ?? 'unknown';
    throw new Error(
      `The data directory ${dir} belongs to a running service (process ${pid}). ` +
        'Stop it first, or set DATA_DIR to another directory.',
      { cause: error },
    );
  }
}

const isBusy = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'errcode' in error && error.errcode === SQLITE_BUSY;

/** Creates the data directory when it is missing. */
export async function createDataDir(dir: string): Promise<void> {
  const created = await mkdir(dir, { recursive: true });
  // An existing directory keeps its mode. A new one is set here, because the umask would restrict mkdir's mode.
  if (created !== undefined) await chmod(dir, DIRECTORY_MODE);
}

/** Writes a file that only its owner can read. A crash leaves either the old content or the new one. */
export async function writeSecretFile(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(draft, 'wx', SECRET_MODE);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** The text of a file written by `writeSecretFile`, or null when there is none. */
export async function readSecretFile(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Makes renames inside a directory survive a power cut. */
export async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
