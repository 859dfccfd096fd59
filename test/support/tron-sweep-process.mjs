import { loadTypeScript } from '../jest/typescript.mjs';

loadTypeScript();
// Last, so that what it remembers is asked first.
const { rememberModules } = await import('./remembered-modules.mjs');
const { sweepUntilKilled } = await import('./tron-sweep-run.ts');
rememberModules();
await sweepUntilKilled(process.env);
