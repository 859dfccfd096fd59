import { describeSolanaSweepDeaths } from './solana-sweep-deaths.js';

// The failpoints do not know what is swept: each is passed with the token or with the coin.
describeSolanaSweepDeaths('USDC', ['sweep.planned', 'sweep.nonce', 'sweep.before_broadcast', 'sweep.posted']);
describeSolanaSweepDeaths('SOL', ['sweep.signed_persisted', 'sweep.broadcast_before_save', 'sweep.mined_seen']);
