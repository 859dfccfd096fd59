import { describeRefundDeaths } from './refund-deaths.js';

// The points beside that of `refunds.e2e-spec.ts`. Transactions are sent repeatedly, so the point of sending comes first.
describeRefundDeaths(['return.broadcast_before_save', 'return.posted@2', 'return.nonce', 'return.mined_seen@2']);
