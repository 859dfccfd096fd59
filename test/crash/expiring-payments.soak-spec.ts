import { describeExpiringPaymentDeaths } from './expiring-payment-deaths.js';

// The points beside those of `expiring-payments.e2e-spec.ts`: before the commit of the signature, before sending, before and
// after a final block is recorded.
const POINTS = ['wd.nonce', 'wd.before_broadcast', 'wd.mined_seen', 'wd.evented'];

describeExpiringPaymentDeaths('Solana', POINTS);
describeExpiringPaymentDeaths('Tron', POINTS);
