import { loadTypeScript } from '../jest/typescript.mjs';

loadTypeScript();
const { payUntilKilled } = await import('./solana-payment-run.ts');
await payUntilKilled(process.env);
