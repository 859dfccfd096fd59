import { describePaymentDeaths } from './payment-deaths.js';

// One point of each kind: an answer that is lost, a block that is recorded, a credit, an expiry, and a delivery. The points
// beside them: `npm run soak`.
describePaymentDeaths(
  [
    ['idem.after_commit', '[C-33]', 'completed'],
    ['chain.cursor_after', '[K-143]', 'completed'],
    ['credit.before_commit', '[K-143]', 'completed'],
    ['expire.after', '[K-143]', 'expired'],
    ['hook.sent_before_save', '[J-138]', 'completed'],
  ],
  1,
);
