// Makes the later processes of a test run start in half the time: they find modules where the first one found them, and
// share Node's compile cache. Load it before the program (`--import`), with NODE_COMPILE_CACHE in the run's directory.
// A killed process saves nothing at its end, so a process saves once it is up.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { flushCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';

const UP_BY_THEN_MS = 5_000;

const { NODE_COMPILE_CACHE: DIRECTORY } = process.env;
/** Each program has its own file, because its hooks may resolve differently. */
const FILE = DIRECTORY && join(DIRECTORY, `${(process.argv[1] ?? '').replaceAll(/\W+/g, '-').slice(-80)}.json`);
const isKnown = FILE !== undefined && existsSync(FILE);
/** [URL, format] by the importing module and the specifier. */
const places = new Map(isKnown ? JSON.parse(readFileSync(FILE, 'utf8')) : []);

registerHooks({
  resolve(specifier, context, next) {
    // What `require` needs to know of a module is more than its place.
    if (context.conditions.includes('require')) return next(specifier, context);
    const key = `${context.parentURL} ${specifier}`;
    const place = places.get(key);
    if (place !== undefined) return { url: place[0], format: place[1], shortCircuit: true };
    const found = next(specifier, context);
    if (!isKnown && found.url.startsWith('file:')) places.set(key, [found.url, found.format]);
    return found;
  },
});

/** Saves what this process has loaded for those that start later. */
export function rememberModules() {
  flushCompileCache();
  if (FILE === undefined || existsSync(FILE)) return;
  mkdirSync(DIRECTORY, { recursive: true });
  const unfinished = `${FILE}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify([...places]));
  renameSync(unfinished, FILE);
}

setTimeout(rememberModules, UP_BY_THEN_MS).unref();
