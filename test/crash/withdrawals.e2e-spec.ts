import { describeWithdrawalDeaths } from './withdrawal-deaths.js';

/**
 * The points at which the service is killed: the start after one kill is armed for the next, with a point that the recovery
 * does not pass, or with the second pass of one that the recovery passes once. Transactions are sent repeatedly, so the
 * points of sending come first. Here one of each kind: sent and not recorded, signed and not sent, mined and not booked.
 * The others, and the other networks: `npm run soak`.
 */
describeWithdrawalDeaths([['ethereum', ['wd.broadcast_before_save', 'wd.signed_persisted', 'wd.posted@2']]]);
