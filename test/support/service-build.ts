import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Named like the directory of the run, with which it is removed. */
const BUILDS = join(ROOT, 'node_modules', '.cache', basename(tmpdir()));

/** The service as JavaScript, built for one spec file. */
export interface ServiceBuild {
  /** What `node` runs. */
  readonly main: string;
  remove(): Promise<void>;
}

/**
 * Builds the sources as they are now, in a third of a second, so that a spec that starts the service as a process of its
 * own never runs an older build. The place lies where Node finds the dependencies.
 */
export async function buildService(): Promise<ServiceBuild> {
  await mkdir(BUILDS, { recursive: true });
  const dir = await mkdtemp(join(BUILDS, 'service-'));
  const swc = join(ROOT, 'node_modules', '@swc', 'cli', 'bin', 'swc.js');
  const flags = ['--copy-files', '--ignore', '**/*.spec.ts', '--config-file', join(ROOT, '.swcrc')];
  await promisify(execFile)(process.execPath, [swc, 'src', 'migrations', '--out-dir', dir, ...flags], { cwd: ROOT });
  // Makes the files ES modules, and tells the service its version.
  await copyFile(join(ROOT, 'package.json'), join(dir, 'package.json'));
  await symlink(join(ROOT, 'data'), join(dir, 'data'));
  return { main: join(dir, 'src', 'main.js'), remove: () => rm(dir, { recursive: true, force: true }) };
}
