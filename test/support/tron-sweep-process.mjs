import { loadTypeScript } from '../jest/typescript.mjs';

loadTypeScript();
const { sweepUntilKilled } = await import('./tron-sweep-run.ts');
await sweepUntilKilled(process.env);
