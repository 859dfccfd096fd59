import { describePaymentDeaths } from './payment-deaths.js';

// An answer that is lost, a credit and a delivery. The others, from the claim of a key to an expiry: `npm run soak`.
describePaymentDeaths(
  [
    ['idem.after_commit', '[C-33]', 'completed'],
    ['credit.before_commit', '[K-143]', 'completed'],
    ['hook.sent_before_save', '[J-138]', 'completed'],
  ],
  1,
);
