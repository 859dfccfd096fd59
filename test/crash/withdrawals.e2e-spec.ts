import { describeWithdrawalDeaths } from './withdrawal-deaths.js';

/**
 * Where the service is killed. Each lane is a service of its own, and the start after one kill is armed for the next: with
 * a point that the recovery does not pass, or for its second passing where the recovery passes it once. What is sent is
 * sent again and again, so the points of sending come first. The other networks: `npm run soak`.
 */
describeWithdrawalDeaths([
  ['ethereum', ['wd.before_broadcast', 'wd.signed_persisted', 'wd.nonce', 'wd.reserved']],
  ['ethereum', ['wd.broadcast_before_save', 'wd.mined_seen@2', 'wd.posted@2', 'wd.evented@2', 'wd.simulated']],
]);
