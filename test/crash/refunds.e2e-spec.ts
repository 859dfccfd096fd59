import { describeRefundDeaths } from './refund-deaths.js';

// Signing and sending are the code of withdrawals, whose specs have the points before a send too. The others: `npm run soak`.
describeRefundDeaths(['return.signed_persisted']);
