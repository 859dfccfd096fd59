import { describeSweepDeaths } from './sweep-deaths.js';

/**
 * The points at which the service is killed, one after the other: each start after a kill is armed for the next point, which
 * the recovery does not pass, or passes once. Transactions are sent repeatedly, so the point of sending comes first. The
 * others, and the other networks: `npm run soak`.
 */
describeSweepDeaths([['ethereum', ['sweep.before_broadcast', 'sweep.posted@2']]]);
