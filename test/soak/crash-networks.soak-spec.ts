import { describeSweepDeaths } from '../crash/sweep-deaths.js';
import { describeWithdrawalDeaths } from '../crash/withdrawal-deaths.js';

// The tests that `npm test` makes on ethereum at some points, here at all of them on the other networks.
describeWithdrawalDeaths([
  ['polygon', 'USDC', ['wd.broadcast_before_save', 'wd.posted@2', 'wd.nonce']],
  [
    'bnb',
    'USDC',
    [
      'wd.before_broadcast',
      'wd.mined_seen@2',
      'wd.signed_persisted',
      'wd.evented@2',
      'wd.simulated',
      'idem.after_commit',
    ],
  ],
]);
describeSweepDeaths([
  ['polygon', 'USDC', ['sweep.before_broadcast', 'sweep.planned', 'sweep.posted@2']],
  ['bnb', 'USDC', ['sweep.before_broadcast', 'sweep.signed_persisted', 'sweep.mined_seen@2']],
]);
