import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';
import { resolve } from '../support/resolve-typescript.mjs';

/**
 * Lets Node load our TypeScript directly: swc compiles each file at its import, with the settings of the build, and
 * `.js` in an import means the `.ts` file.
 */
export function loadTypeScript() {
  registerHooks({
    resolve,
    load(url, context, next) {
      if (!url.startsWith('file:') || !new URL(url).pathname.endsWith('.ts')) return next(url, context);
      const filename = fileURLToPath(url);
      return { format: 'module', source: compiled(filename), shortCircuit: true };
    },
  });
  process.setSourceMapsEnabled(true);
}

/** The processes of a run share what they have compiled, beside the compile cache of Node. */
function compiled(filename) {
  const source = readFileSync(filename, 'utf8');
  const { NODE_COMPILE_CACHE: directory } = process.env;
  if (directory === undefined) return compile(source, filename);
  const kept = join(directory, `${createHash('sha256').update(filename).update(source).digest('hex')}.js`);
  if (existsSync(kept)) return readFileSync(kept, 'utf8');
  const code = compile(source, filename);
  mkdirSync(directory, { recursive: true });
  const unfinished = `${kept}.${process.pid}`;
  writeFileSync(unfinished, code);
  renameSync(unfinished, kept);
  return code;
}

const compile = (source, filename) => transformSync(source, { filename, sourceMaps: 'inline' }).code;
