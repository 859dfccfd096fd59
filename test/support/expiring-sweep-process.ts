import { flushCompileCache } from 'node:module';
import { sweepUntilKilled } from './expiring-sweep-run.js';

// The process will be killed, and would save nothing at its end for the next one.
flushCompileCache();
await sweepUntilKilled(process.env);
