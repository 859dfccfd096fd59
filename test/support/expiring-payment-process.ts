import { flushCompileCache } from 'node:module';
import { payUntilKilled } from './expiring-payment-run.js';

// The process will be killed, and would save nothing at its end for the next one.
flushCompileCache();
await payUntilKilled(process.env);
