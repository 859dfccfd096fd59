import { describeExpiringPaymentDeaths } from './expiring-payment-deaths.js';

// One network on each side of the send. The others: `npm run soak`.
describeExpiringPaymentDeaths('Solana', ['wd.broadcast_before_save']);
describeExpiringPaymentDeaths('Tron', ['wd.signed_persisted']);
