import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildUnlessUnchanged, INSTALLED, ROOT } from './unchanged-sources.mjs';

// Builds the service into dist, unless its sources are those of the last build. Run by `npm install` (prepare), by `npm start`
// and before the tests.
const SETTINGS = ['.swcrc', 'nest-cli.json', 'package.json', 'tsconfig.json'];

function build() {
  const nest = join(ROOT, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  const { status } = spawnSync(process.execPath, [nest, 'build'], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

await buildUnlessUnchanged({
  dist: 'dist',
  sources: ['src/**/*', 'migrations/**/*', ...SETTINGS, INSTALLED, 'scripts/*.mjs'],
  build,
});
