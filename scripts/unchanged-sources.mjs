import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the project: the paths of sources are relative to it. */
export const ROOT = join(import.meta.dirname, '..');

/** Changes with every installation: it stands for the compilers and the libraries. */
export const INSTALLED = 'node_modules/.package-lock.json';

/**
 * Runs a build, unless its sources are those of the last one and nothing has changed its result since.
 *
 * @param options.dist the folder that the build writes, relative to the root; the hash of the sources is kept there.
 * @param options.sources globs relative to the root: everything that the result depends on.
 * @param options.build ends the process when it fails; the next call builds again then.
 */
export async function buildUnlessUnchanged({ dist, sources, build }) {
  const builtFrom = join(ROOT, dist, 'built-from');
  const hash = hashOf(sources);
  if (existsSync(builtFrom) && readFileSync(builtFrom, 'utf8') === hash && isUntouchedSince(builtFrom, dist)) return;
  // A build that stops halfway must not pass for the last one.
  rmSync(builtFrom, { force: true });
  await build();
  // A source that changed meanwhile may or may not be in the result.
  if (hashOf(sources) === hash) writeFileSync(builtFrom, hash);
}

/** Whether no file was written or deleted after `builtFrom`, as a watching compiler or one of another version would. */
function isUntouchedSince(builtFrom, dist) {
  const { mtimeMs } = statSync(builtFrom);
  return [dist, ...globSync(`${dist}/**/*`, { cwd: ROOT })].every(
    (path) => statSync(join(ROOT, path)).mtimeMs <= mtimeMs,
  );
}

/** Names and contents of all files, as one hash. */
function hashOf(sources) {
  const hash = createHash('sha256');
  const paths = globSync(sources, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  for (const path of paths) {
    hash.update(path.slice(ROOT.length)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}
