import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { buildUnlessUnchanged, INSTALLED, ROOT } from './unchanged-sources.mjs';

// Builds the console's pages into admin-ui/dist, and compresses them once, so that the service only sends files. Run by
// `npm install` (prepare) and before the tests; it does nothing when the sources are those of the last build.
const CONSOLE = join(ROOT, 'admin-ui');
const OF_CONSOLE = ['index.html', 'openapi.json', 'package.json', 'tsconfig.json', 'vite.config.ts', 'src/**/*'];
/** Smaller files gain nothing. */
const COMPRESSED_FROM_BYTES = 512;

async function compressFiles() {
  const write = async (path, compressing) => writeFileSync(path, await compressing);
  const files = globSync('dist/assets/*.{js,css,svg}', { cwd: CONSOLE }).map((path) => join(CONSOLE, path));
  await Promise.all(
    files.flatMap((path) => {
      const content = readFileSync(path);
      if (content.length < COMPRESSED_FROM_BYTES) return [];
      const best = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } };
      return [
        write(`${path}.br`, promisify(brotliCompress)(content, best)),
        write(`${path}.gz`, promisify(gzip)(content, { level: 9 })),
      ];
    }),
  );
}

async function build() {
  const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
  const { status } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: CONSOLE,
    stdio: 'inherit',
    // Tests set another one, and would get the development build of React.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (status !== 0) process.exit(status ?? 1);
  await compressFiles();
}

await buildUnlessUnchanged({
  dist: 'admin-ui/dist',
  sources: [...OF_CONSOLE.map((path) => `admin-ui/${path}`), INSTALLED, 'scripts/*.mjs'],
  build,
});
