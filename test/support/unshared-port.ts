import { randomInt } from 'node:crypto';
import { findFreePort } from '../../src/platform/processes.js';

/** Linux gives out ports from 32768 on, to servers that ask for any and to clients. */
const [FIRST, BELOW] = [10_000, 30_000];

/** Returns a free port that the system gives to nobody else, for a server that stops and takes it again. */
export const unsharedPort = (): Promise<number> => findFreePort(randomInt(FIRST, BELOW));
