import { describeExpiringPaymentDeaths } from './expiring-payment-deaths.js';

// One point on each side of the send. The others: `npm run soak`.
const POINTS = ['wd.signed_persisted', 'wd.broadcast_before_save'];

describeExpiringPaymentDeaths('Solana', POINTS);
describeExpiringPaymentDeaths('Tron', POINTS);
