import { chmod, mkdtemp, readFile, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DISK = '/dev/shm';
const FREE_BYTES_MIN = 4 * 1024 ** 3;
/** Like every directory for temporary files: PostgreSQL may run as another user. */
const FOR_EVERYBODY = 0o1777;

/**
 * Creates the directory for the temporary files of a run, in memory where possible, because every spec copies
 * a database and many create a cluster: on a real disk, a third of the run would be waiting for those files.
 */
export async function makeRunDirectory() {
  const parent = (await hasMemoryDisk()) ? DISK : tmpdir();
  const path = await mkdtemp(join(parent, 'coffer-'));
  await chmod(path, FOR_EVERYBODY);
  return path;
}

/** Whether there is a memory disk with enough space whose files may be executed. */
async function hasMemoryDisk() {
  const disk = await statfs(DISK).catch(() => null);
  return disk !== null && disk.bavail * disk.bsize >= FREE_BYTES_MIN && !(await isNoExec());
}

async function isNoExec() {
  const mounts = await readFile('/proc/mounts', { encoding: 'utf8' }).catch(() => '');
  return mounts.split('\n').some((line) => line.split(' ')[1] === DISK && line.includes('noexec'));
}
