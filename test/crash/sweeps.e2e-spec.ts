import { describeSweepDeaths } from './sweep-deaths.js';

// What is signed and not sent; what is final and not booked is a sweep in `tron-sweeps.e2e-spec.ts`. The others, and the
// other networks: `npm run soak`.
describeSweepDeaths([['ethereum', 'USDC', ['sweep.before_broadcast']]]);
