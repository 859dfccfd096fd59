import { NetworkViews } from '../../src/offers/network-views.service.js';
import type { Database } from '../../src/platform/database/database.js';
import { NoQueue } from '../../src/platform/queue/job-waker.js';
import { PricingService } from '../../src/pricing/pricing.service.js';
import { FeeQuotes } from '../../src/treasury/fees/fee-quotes.service.js';
import type { TreasuryChains } from '../../src/treasury/treasury-chains.service.js';
import { DestinationAccounts } from '../../src/withdrawals/destination-accounts.service.js';
import { WithdrawalChecks } from '../../src/withdrawals/withdrawal-checks.service.js';
import { WithdrawalsService } from '../../src/withdrawals/withdrawals.service.js';

/** The orders of merchants, as the API checks and accepts them, on chains that a worker reaches. */
export function withdrawalOrdersOn(database: Database, chains: TreasuryChains): WithdrawalsService {
  const checks = new WithdrawalChecks(new NetworkViews(database), new FeeQuotes(new PricingService(database)));
  return new WithdrawalsService(database, checks, new DestinationAccounts(database, chains), new NoQueue());
}
