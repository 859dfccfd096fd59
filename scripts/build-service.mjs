import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildUnlessUnchanged, forgetBuild, ROOT } from './unchanged-sources.mjs';

// Builds the service into dist, unless its sources are those of the last build. Run by `npm install` (prepare), by `npm start`
// and before the tests. `npm run dev` calls it with `--forget`: its watch writes into dist too, so the next call must build.
const DIST = 'dist';

function build() {
  const nest = join(ROOT, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  const { status } = spawnSync(process.execPath, [nest, 'build'], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (process.argv.includes('--forget')) {
  forgetBuild(DIST);
} else {
  await buildUnlessUnchanged({
    dist: DIST,
    // The lock file stands for the compiler.
    sources: ['src/**/*', 'migrations/**/*', 'nest-cli.json', 'tsconfig.json', 'package-lock.json', 'scripts/*.mjs'],
    build,
  });
}
