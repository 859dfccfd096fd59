import { describeTronSweepDeaths } from './tron-sweep-deaths.js';

// A funding that is sent and not recorded, and a sweep that is final and not booked. The others: `npm run soak`.
describeTronSweepDeaths('USDT', ['funding.broadcast_before_save', 'sweep.posted']);
