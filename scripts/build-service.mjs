import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { buildUnlessUnchanged, INSTALLED, ROOT } from './unchanged-sources.mjs';

// Builds the service into dist, unless its sources are those of the last build. Run by `npm install` (prepare), by `npm start`
// and before the tests.
const SETTINGS = ['.swcrc', 'nest-cli.json', 'package.json', 'tsconfig.json'];

/** The service and the programs that it starts, each in a bundle of its own. */
const BUNDLED = [
  'src/main.ts',
  'src/vault/vault.worker.ts',
  'src/devtools/devnet/solana/solana-chain.main.ts',
  'src/devtools/devnet/tron/tron-chain-main.ts',
];

/** Compiles every file for the CLI, and bundles the service, which would load thousands of them. */
async function build() {
  const nest = join(ROOT, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  const bundle = join(ROOT, 'scripts', 'bundle.mjs');
  const statuses = await Promise.all([run(nest, 'build'), run(bundle, join('dist', 'bundle'), 'dist', ...BUNDLED)]);
  const failure = statuses.find((status) => status !== 0);
  if (failure !== undefined) process.exit(failure);
}

/** Returns the exit code of a program; 1 when a signal ended it. */
function run(...program) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const child = spawn(process.execPath, ['--no-warnings', ...program], { cwd: ROOT, stdio: 'inherit' });
  child.on('error', reject);
  child.on('exit', (status) => resolve(status ?? 1));
  return promise;
}

await buildUnlessUnchanged({
  dist: 'dist',
  sources: ['src/**/*', 'migrations/**/*', ...SETTINGS, INSTALLED, 'scripts/*.mjs'],
  build,
});
