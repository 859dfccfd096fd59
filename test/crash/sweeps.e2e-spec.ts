import { describeSweepDeaths } from './sweep-deaths.js';

/**
 * The points at which the service is killed, one after the other: each start after a kill is armed for the next point, which
 * the recovery does not pass, or passes once. Transactions are sent repeatedly, so the point of sending comes first. The
 * other networks: `npm run soak`.
 */
describeSweepDeaths([
  [
    'ethereum',
    ['sweep.before_broadcast', 'sweep.signed_persisted', 'sweep.planned', 'sweep.mined_seen@2', 'sweep.posted@2'],
  ],
]);
