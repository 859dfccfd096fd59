import { randomInt } from 'node:crypto';
import { findFreePort } from '../../src/platform/processes.js';

/** Below the ports that Linux gives to clients, and to servers that ask for any: from 32768 on. */
const [FIRST, BELOW] = [10_000, 30_000];

/** Returns a free port that no other process is given by chance. A server that has stopped can take it again. */
export const unsharedPort = (): Promise<number> => findFreePort(randomInt(FIRST, BELOW));
