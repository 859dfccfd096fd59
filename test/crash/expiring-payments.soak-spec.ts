import { describeExpiringPaymentDeaths } from './expiring-payment-deaths.js';

// Before and after the commit of the signature, before sending, before and after a final block is recorded. Solana after
// sending: `expiring-payments.e2e-spec.ts`.
const POINTS = ['wd.nonce', 'wd.signed_persisted', 'wd.before_broadcast', 'wd.mined_seen', 'wd.evented'];

describeExpiringPaymentDeaths(['Solana', 'USDC'], POINTS);
describeExpiringPaymentDeaths(['Tron', 'USDC'], [...POINTS, 'wd.broadcast_before_save']);

// In the coins, one point on each side of the send.
describeExpiringPaymentDeaths(['Solana', 'SOL'], ['wd.signed_persisted', 'wd.mined_seen']);
describeExpiringPaymentDeaths(['Tron', 'TRX'], ['wd.before_broadcast', 'wd.evented']);
