import { describeSweepDeaths } from '../crash/sweep-deaths.js';
import { describeWithdrawalDeaths } from '../crash/withdrawal-deaths.js';

// The failpoints do not know what is paid: each is passed with the coin of one network, and every coin before the send and
// after it. In tokens: `crash-networks.soak-spec.ts`.
describeWithdrawalDeaths([
  ['ethereum', 'ETH', ['wd.before_broadcast', 'wd.posted@2']],
  ['polygon', 'POL', ['wd.broadcast_before_save', 'wd.mined_seen@2', 'wd.nonce']],
  ['bnb', 'BNB', ['wd.signed_persisted', 'wd.evented@2']],
]);
describeSweepDeaths([
  ['ethereum', 'ETH', ['sweep.broadcast_before_save', 'sweep.planned']],
  ['polygon', 'POL', ['sweep.before_broadcast', 'sweep.posted@2']],
  ['bnb', 'BNB', ['sweep.signed_persisted', 'sweep.mined_seen@2']],
]);
