import { describePaymentDeaths } from './payment-deaths.js';

// An answer that is lost, and a credit. The others, from the claim of a key to a delivery: `npm run soak`.
describePaymentDeaths(
  [
    ['idem.after_commit', '[C-33]', 'completed'],
    ['credit.before_commit', '[K-143]', 'completed'],
  ],
  1,
);
