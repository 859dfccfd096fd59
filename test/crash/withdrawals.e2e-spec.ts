import { describeWithdrawalDeaths } from './withdrawal-deaths.js';

/**
 * The points at which the service is killed: the start after one kill is armed for the next, with a point that the recovery
 * does not pass, or with the second pass of one that the recovery passes once. Transactions are sent repeatedly, so the
 * points of sending come first. Here what is sent and not recorded; what is signed and not sent is a refund in
 * `refunds.e2e-spec.ts`, and what is mined and not booked a sweep in `tron-sweeps.e2e-spec.ts`. The others, and the other
 * networks: `npm run soak`.
 */
describeWithdrawalDeaths([['ethereum', 'USDC', ['wd.broadcast_before_save']]]);
