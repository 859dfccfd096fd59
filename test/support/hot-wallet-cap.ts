import type { Database } from '../../src/platform/database/database.js';
import { PricingService } from '../../src/pricing/pricing.service.js';
import { HotWalletCap } from '../../src/treasury/sweeps/hot-wallet-cap.service.js';

/** The cap of the hot wallets, in cents; 0 = no cap. */
export function hotWalletCap(database: Database, cents = 0): HotWalletCap {
  const treasury = { stuckAfterMs: 1, unexplainedAfterMs: 1, sweepFeeShareBps: 100, hotWalletCapCents: cents };
  return new HotWalletCap(new PricingService(database), { treasury });
}
