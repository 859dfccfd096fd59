import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';

const DISK = '/dev/shm';
const FREE_BYTES_MIN = 4 * 1024 ** 3;
/** As every directory for temporary files: PostgreSQL may run as another user. */
const FOR_EVERYBODY = 0o1777;

/**
 * Makes a directory for the temporary files of a run on the disk of memory, since every spec copies a database and many
 * make a cluster: on a real disk, a third of the run is waiting for those files. Null where there is no such disk, where
 * it has little room, or where nothing on it may be executed.
 */
export async function makeMemoryDir() {
  const disk = await statfs(DISK).catch(() => null);
  if (disk === null || disk.bavail * disk.bsize < FREE_BYTES_MIN || (await isNoExec())) return null;
  const path = await mkdtemp(`${DISK}/coffer-`);
  await chmod(path, FOR_EVERYBODY);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

async function isNoExec() {
  const mounts = await readFile('/proc/mounts', { encoding: 'utf8' }).catch(() => '');
  return mounts.split('\n').some((line) => line.split(' ')[1] === DISK && line.includes('noexec'));
}
