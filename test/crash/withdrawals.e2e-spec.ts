import { describeWithdrawalDeaths } from './withdrawal-deaths.js';

/**
 * The points at which the service is killed. Each lane is a separate service, and the start after one kill is armed for the
 * next: with a point that the recovery does not pass, or with the second pass of one that the recovery passes once.
 * Transactions are sent repeatedly, so the points of sending come first. The other networks: `npm run soak`.
 */
describeWithdrawalDeaths([
  ['ethereum', ['wd.before_broadcast', 'wd.signed_persisted', 'wd.nonce', 'idem.after_commit']],
  ['ethereum', ['wd.broadcast_before_save', 'wd.mined_seen@2', 'wd.posted@2', 'wd.evented@2', 'wd.simulated']],
]);
