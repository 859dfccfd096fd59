import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readSecretFile, syncDirectory, writeSecretFile } from '../data-dir.js';
import { hasErrorCode } from '../processes.js';
import { readIfPresent } from './postmaster-file.js';
import type { PostgresTools } from './postgres-tools.js';

/** The owner of everything in the embedded database. */
export const DATABASE_ROLE = 'coffer';
/** The role of the service, which owns nothing. */
export const SERVICE_ROLE = 'coffer_service';

/** The builtin collation sorts text by code point on every machine and after every upgrade of the system's libraries. */
const INITDB_OPTIONS = [
  `--username=${DATABASE_ROLE}`,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-instructions',
];

/** The path of the password of the cluster in `dir`: beside it, because the file belongs to the service's user. */
const passwordFileOf = (dir: string): string => `${dir}.password`;

/**
 * Checks that `dir` holds a complete cluster that these tools can serve; creates it on the first start.
 * @throws Error when the directory holds other files, another major version, or a cluster without its password.
 */
export async function prepareCluster(dir: string, tools: PostgresTools, log: (line: string) => void): Promise<void> {
  await removeLeftovers(dir);
  const version = await readIfPresent(join(dir, 'PG_VERSION'));
  const control = await readIfPresent(join(dir, 'global', 'pg_control'));
  if (version === null || control === null) {
    await assertEmpty(dir);
    log(`Creating the embedded database in ${dir}.`);
    return createCluster(dir, tools);
  }
  await assertMajorVersion(dir, version.trim(), tools);
  await readPassword(dir);
  // A backup restored by root belongs to root, and PostgreSQL insists on owning its directory.
  await tools.handOver(dir);
}

/**
 * The password of the cluster in `dir`.
 * @throws Error when its file is missing.
 */
export async function readPassword(dir: string): Promise<string> {
  const path = passwordFileOf(dir);
  const password = await readSecretFile(path);
  if (password === null) throw new Error(`The password of the embedded database in ${dir} is missing: ${path}.`);
  return password;
}

/** The password of the service's role, derived one way from the owner's: so there is no second file to lose. */
export async function readServicePassword(dir: string): Promise<string> {
  return createHmac('sha256', await readPassword(dir))
    .update(SERVICE_ROLE)
    .digest('base64url');
}

/** Creates the cluster in a staging directory and renames it, so that `dir` never holds an incomplete cluster. */
async function createCluster(dir: string, tools: PostgresTools): Promise<void> {
  // An existing password may belong to a cluster that was moved away and will be restored.
  const password = (await readSecretFile(passwordFileOf(dir))) ?? randomBytes(24).toString('base64url');
  await writeSecretFile(passwordFileOf(dir), password);
  const staging = await mkdtemp(stagingPrefix(dir));
  try {
    const passwordFile = join(staging, 'password');
    await writeFile(passwordFile, password, { mode: 0o600 });
    await tools.handOver(staging);
    const data = join(staging, 'data');
    await tools.run('initdb', [`--pgdata=${data}`, `--pwfile=${passwordFile}`, ...INITDB_OPTIONS]);
    await rename(data, dir);
    await syncDirectory(dirname(dir));
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

const stagingPrefix = (dir: string): string => `${dir}.init-`;

/** Removes the staging directories of starts that were killed during initdb; they never held a row. */
async function removeLeftovers(dir: string): Promise<void> {
  const prefix = basename(stagingPrefix(dir));
  const names = (await readdir(dirname(dir))).filter((name) => name.startsWith(prefix));
  await Promise.all(names.map((name) => rm(join(dirname(dir), name), { recursive: true, force: true, maxRetries: 3 })));
}

async function assertEmpty(dir: string): Promise<void> {
  try {
    if ((await readdir(dir)).length === 0) return;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return;
    throw error;
  }
  throw new Error(
    `${dir} holds files but no complete PostgreSQL cluster. Nothing was changed. Restore it, or move it away to start with an empty database.`,
  );
}

async function assertMajorVersion(dir: string, found: string, tools: PostgresTools): Promise<void> {
  const printed = await tools.run('postgres', ['--version']);
  const major = printed.match(/(\d+)[\d.]*$/)?.[1];
  if (found === major) return;
  throw new Error(
    `The embedded database in ${dir} was made by PostgreSQL ${found}, and the installed one is ${major ?? printed}. ` +
      'Dump it with the old version and restore it into a new directory, or install that version again.',
  );
}
