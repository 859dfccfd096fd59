import { describeExpiringPaymentDeaths } from './expiring-payment-deaths.js';

// One network on each side of the send. The others: `npm run soak`.
describeExpiringPaymentDeaths(['Solana', 'USDC'], ['wd.broadcast_before_save']);
describeExpiringPaymentDeaths(['Tron', 'USDC'], ['wd.signed_persisted']);
