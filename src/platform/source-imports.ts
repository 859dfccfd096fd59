import { extname } from 'node:path';

/**
 * The build compiles everything to `.js`, which runs as it is. In tests Node loads a worker or a process from source and
 * strips the types, but cannot resolve an import of `./x.js` to `./x.ts`. This hook, run first, does that.
 */
const HOOK = `import { registerHooks } from 'node:module';
registerHooks({
  resolve: (specifier, context, next) =>
    next(/^\\.{1,2}\\//.test(specifier) && context.parentURL?.endsWith('.ts') ? specifier.replace(/\\.js$/, '.ts') : specifier, context),
});`;

/** An entry point beside a module, and the flags that Node needs to run it. */
export interface EntryPoint {
  readonly url: URL;
  readonly flags: readonly string[];
}

/** Returns the entry point `name` of a worker or a process that has the form of the module that starts it. */
export function entryPointBeside(moduleUrl: string, name: string): EntryPoint {
  const extension = extname(moduleUrl);
  const url = new URL(`./${name}${extension}`, moduleUrl);
  const flags = extension === '.ts' ? ['--import', `data:text/javascript,${encodeURIComponent(HOOK)}`] : [];
  return { url, flags };
}
