import { loadTypeScript } from '../jest/typescript.mjs';

loadTypeScript();
// Last, so that what it remembers is asked first.
const { rememberModules } = await import('./remembered-modules.mjs');
const { payUntilKilled } = await import('./expiring-payment-run.ts');
rememberModules();
await payUntilKilled(process.env);
