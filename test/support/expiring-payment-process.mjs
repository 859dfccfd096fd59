import { loadTypeScript } from '../jest/typescript.mjs';

loadTypeScript();
const { payUntilKilled } = await import('./expiring-payment-run.ts');
await payUntilKilled(process.env);
