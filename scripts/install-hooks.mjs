import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Run by `npm install` (prepare): lets git use the hooks of .githooks in a clone of this repository. Without git, or outside
// of a clone (a tarball, an image), there is nothing to do, and no failure here may fail an installation.
const HOOKS = '.githooks';
const root = realpathSync(fileURLToPath(new URL('..', import.meta.url)));

/** What a git command prints, without the newline at its end; null when it fails or there is no git. */
function git(...parameters) {
  const { status, stdout } = spawnSync('git', parameters, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trimEnd() : null;
}

const top = git('rev-parse', '--show-toplevel');
if (top !== null && realpathSync(top) === root) {
  const known = git('config', '--get', 'core.hooksPath');
  if (known === null) git('config', 'core.hooksPath', HOOKS);
  else if (known !== HOOKS) console.log(`core.hooksPath is ${known} and stays so: the hooks of ${HOOKS} are not used.`);
}
