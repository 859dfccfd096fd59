import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

// Builds the console's pages into admin-ui/dist, and compresses them once, so that the service only sends files. Run by
// `npm install` (prepare) and before the tests; it does nothing when the sources are those of the last build.
const root = new URL('../admin-ui/', import.meta.url);
const SOURCES = ['index.html', 'openapi.json', 'package.json', 'tsconfig.json', 'vite.config.ts', 'src/**/*'];
/** Smaller files gain nothing. */
const COMPRESSED_FROM_BYTES = 512;
const BUILT_FROM = new URL('dist/built-from', root);

/** The hash of everything that the pages are made of; the lock file stands for the libraries. */
function sourcesHash() {
  const hash = createHash('sha256');
  const files = globSync(SOURCES, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .toSorted();
  for (const path of [...files, fileURLToPath(new URL('../package-lock.json', root)), fileURLToPath(import.meta.url)]) {
    hash
      .update(path.slice(fileURLToPath(root).length))
      .update('\0')
      .update(readFileSync(path))
      .update('\0');
  }
  return hash.digest('hex');
}

async function compressFiles() {
  const write = async (path, compressing) => writeFileSync(path, await compressing);
  const files = globSync('dist/assets/*.{js,css,svg}', { cwd: root }).map((path) => fileURLToPath(new URL(path, root)));
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

const hash = sourcesHash();
if (!existsSync(BUILT_FROM) || readFileSync(BUILT_FROM, 'utf8') !== hash) {
  const vite = fileURLToPath(new URL('../node_modules/vite/bin/vite.js', root));
  const { status } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: root,
    stdio: 'inherit',
    // Tests set another one, and would get the development build of React.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (status !== 0) process.exit(status ?? 1);
  await compressFiles();
  writeFileSync(BUILT_FROM, hash);
}
