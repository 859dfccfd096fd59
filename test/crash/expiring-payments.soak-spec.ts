import { describeExpiringPaymentDeaths } from './expiring-payment-deaths.js';

// Before the commit of the signature, before sending, before and after a final block is recorded, and on each network the
// side of the send that `expiring-payments.e2e-spec.ts` has on the other one.
const POINTS = ['wd.nonce', 'wd.before_broadcast', 'wd.mined_seen', 'wd.evented'];

describeExpiringPaymentDeaths(['Solana', 'USDC'], ['wd.signed_persisted', ...POINTS]);
describeExpiringPaymentDeaths(['Tron', 'USDC'], [...POINTS, 'wd.broadcast_before_save']);

// In the coins, one point on each side of the send.
describeExpiringPaymentDeaths(['Solana', 'SOL'], ['wd.signed_persisted', 'wd.mined_seen']);
describeExpiringPaymentDeaths(['Tron', 'TRX'], ['wd.before_broadcast', 'wd.evented']);
