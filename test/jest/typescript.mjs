import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
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
      const { code } = transformSync(readFileSync(filename, 'utf8'), { filename, sourceMaps: 'inline' });
      return { format: 'module', source: code, shortCircuit: true };
    },
  });
  process.setSourceMapsEnabled(true);
}
