import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the project: the paths of sources are relative to it. */
export const ROOT = join(import.meta.dirname, '..');

/**
 * Runs a build, unless its sources are those of the last one.
 *
 * @param options.dist the folder that the build writes, relative to the root; the hash of the sources is kept there.
 * @param options.sources globs relative to the root: everything that the result depends on.
 * @param options.build throws when it fails; the next call builds again then.
 */
export async function buildUnlessUnchanged({ dist, sources, build }) {
  const builtFrom = keptHash(dist);
  const hash = hashOf(sources);
  if (existsSync(builtFrom) && readFileSync(builtFrom, 'utf8') === hash) return;
  // A build that stops halfway must not pass for the last one.
  forgetBuild(dist);
  await build();
  writeFileSync(builtFrom, hash);
}

/** The next `buildUnlessUnchanged` builds in any case. */
export function forgetBuild(dist) {
  rmSync(keptHash(dist), { force: true });
}

const keptHash = (dist) => join(ROOT, dist, 'built-from');

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
