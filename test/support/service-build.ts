import { execFile } from 'node:child_process';
import { copyFile, mkdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hasErrorCode } from '../../src/platform/processes.js';
import { eventually } from './eventually.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Has the name of the run's directory and is removed with it. Node finds the dependencies from here. */
const BUILDS = join(ROOT, 'node_modules', '.cache', basename(tmpdir()));
const BUILT_WITHIN_MS = 60_000;

/** The service as JavaScript. */
export interface ServiceBuild {
  /** The entry point for `node`. */
  readonly main: string;
}

/**
 * Builds the sources once for all specs of this run that start the service as a separate process.
 */
export async function buildService(): Promise<ServiceBuild> {
  const dir = join(BUILDS, 'service');
  await mkdir(BUILDS, { recursive: true });
  const isFirst = await mkdir(`${dir}.lock`).then(
    () => true,
    (error: unknown) => {
      if (!hasErrorCode(error, 'EEXIST')) throw error;
      return false;
    },
  );
  if (isFirst) await buildInto(dir);
  else await eventually(() => isDirectory(dir), BUILT_WITHIN_MS);
  return { main: join(dir, 'src', 'main.js') };
}

/** The directory appears when it is complete. */
async function buildInto(dir: string): Promise<void> {
  const unfinished = `${dir}.begun`;
  try {
    const swc = join(ROOT, 'node_modules', '@swc', 'cli', 'bin', 'swc.js');
    const flags = ['--copy-files', '--ignore', '**/*.spec.ts', '--config-file', join(ROOT, '.swcrc')];
    const args = [swc, 'src', 'migrations', '--out-dir', unfinished, ...flags];
    await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    // Makes the files ES modules, and contains the version of the service.
    await copyFile(join(ROOT, 'package.json'), join(unfinished, 'package.json'));
    await symlink(join(ROOT, 'data'), join(unfinished, 'data'));
    await rename(unfinished, dir);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
