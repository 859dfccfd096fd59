import { describePaymentDeaths } from './payment-deaths.js';

// The points beside those of `failpoints.e2e-spec.ts`.
describePaymentDeaths(
  [
    ['idem.claimed', '[C-34]', 'completed'],
    ['idem.before_commit', '[C-34]', 'completed'],
    ['idem.before_statement', '[C-34]', 'completed'],
    ['intent.planned', '[C-34]', 'completed'],
    ['addr.priced', '[C-34]', 'completed'],
    ['chain.block_fetched', '[K-143]', 'completed'],
    ['chain.cursor_before', '[K-143]', 'completed'],
    ['chain.cursor_after', '[K-143]', 'completed'],
    ['chain.observed', '[K-143]', 'completed'],
    ['settle.before', '[K-143]', 'completed'],
    ['settle.after', '[K-143]', 'completed'],
    ['credit.after_commit', '[K-143]', 'completed'],
    ['expire.before', '[K-143]', 'expired'],
    ['expire.after', '[K-143]', 'expired'],
    ['outbox.enqueued_before_mark', '[J-138]', 'completed'],
    ['hook.before_send', '[J-138]', 'completed'],
    ['hook.sent_before_save', '[J-138]', 'completed'],
  ],
  2,
);
