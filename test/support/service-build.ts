import { execFile } from 'node:child_process';
import { copyFile, mkdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hasErrorCode } from '../../src/platform/processes.js';
import { eventually } from './eventually.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUNDLE = join(ROOT, 'scripts', 'bundle.mjs');
/** Has the name of the run's directory and is removed with it. Node finds the dependencies from here. */
const BUILDS = join(ROOT, 'node_modules', '.cache', basename(tmpdir()));
const BUILT_WITHIN_MS = 120_000;

/** The service as JavaScript. */
export interface ServiceBuild {
  /** The entry point for `node`. */
  readonly main: string;
}

const VAULT = 'src/vault/vault.worker.ts';

/** The service, with its failpoints, which are armed from outside; and the programs that it starts. */
const SERVICE = [
  'src/main.ts,src/platform/failpoints.ts',
  VAULT,
  'src/devtools/devnet/solana/solana-chain.main.ts',
  'src/devtools/devnet/tron/tron-chain-main.ts',
];

/**
 * Bundles the sources once for all specs of this run that start the service as a separate process: it starts in half the
 * processor time of the build.
 */
export async function bundleService(): Promise<ServiceBuild> {
  const dir = await once('service-bundle', (unfinished) => bundleInto(unfinished, SERVICE));
  return { main: join(dir, 'main.js') };
}

/** Bundles a program of the tests, a path of the repository, in the same way. Returns the path for `node`. */
export async function bundleProgram(program: string): Promise<string> {
  const name = basename(program, '.ts');
  const dir = await once(name, (unfinished) => bundleInto(unfinished, [program, VAULT]));
  return join(dir, `${name}.js`);
}

/** Builds the sources once, file by file, as they are installed. */
export async function buildService(): Promise<ServiceBuild> {
  const dir = await once('service', buildInto);
  return { main: join(dir, 'src', 'main.js') };
}

/** The directory appears when it is complete; the processes of the run wait for the first one that makes it. */
async function once(name: string, make: (unfinished: string) => Promise<void>): Promise<string> {
  const dir = join(BUILDS, name);
  await mkdir(BUILDS, { recursive: true });
  if (await isFirst(`${dir}.lock`)) await makeWhole(dir, make);
  else await eventually(() => isDirectory(dir), BUILT_WITHIN_MS);
  return dir;
}

const isFirst = (lock: string): Promise<boolean> =>
  mkdir(lock).then(
    () => true,
    (error: unknown) => {
      if (!hasErrorCode(error, 'EEXIST')) throw error;
      return false;
    },
  );

async function makeWhole(dir: string, make: (unfinished: string) => Promise<void>): Promise<void> {
  const unfinished = `${dir}.begun`;
  try {
    await make(unfinished);
    // Makes the files ES modules, and contains the version of the service.
    await copyFile(join(ROOT, 'package.json'), join(unfinished, 'package.json'));
    await rename(unfinished, dir);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function buildInto(unfinished: string): Promise<void> {
  const swc = join(ROOT, 'node_modules', '@swc', 'cli', 'bin', 'swc.js');
  const flags = ['--copy-files', '--ignore', '**/*.spec.ts', '--config-file', join(ROOT, '.swcrc')];
  const args = [swc, 'src', 'migrations', '--out-dir', unfinished, ...flags];
  await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  await symlink(join(ROOT, 'data'), join(unfinished, 'data'));
}

async function bundleInto(unfinished: string, programs: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, ['--no-warnings', BUNDLE, unfinished, ROOT, ...programs], { cwd: ROOT });
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
