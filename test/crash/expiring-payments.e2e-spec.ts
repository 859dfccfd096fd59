import { describeExpiringPaymentDeaths } from './expiring-payment-deaths.js';

// The other side of the send is a refund in `refunds.e2e-spec.ts`. The others, and Tron: `npm run soak`.
describeExpiringPaymentDeaths(['Solana', 'USDC'], ['wd.broadcast_before_save']);
