import type { Config } from '../../platform/config.js';
import type { Database } from '../../platform/database/database.js';
import { createLogger } from '../../platform/logging.js';
import { EventsService } from '../../events/events.service.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { PricingService } from '../../pricing/pricing.service.js';
import { HotWalletCap } from '../../treasury/sweeps/hot-wallet-cap.service.js';
import { ReturnReader } from '../../suspense/refunds/return-reader.service.js';
import { SweepReader } from '../../treasury/sweeps/sweep-reader.service.js';
import { HotWalletReader } from '../../treasury/wallets/hot-wallet-reader.service.js';
import { VaultState } from '../../vault-status/vault-state.service.js';
import { VaultWatch } from '../../vault-status/vault-watch.service.js';
import { Adoption } from '../../recovery/adoption.service.js';
import { PayoutReader } from '../../withdrawals/payouts/payout-reader.service.js';
import { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import { WithdrawalDesk } from '../../withdrawals/withdrawal-desk.service.js';
import { WithdrawalOutcomeHandler } from '../../withdrawals/payouts/withdrawal-outcome-handler.service.js';
import { noQueue } from '../no-queue.js';

/** How money on its way out stands, read by a command. It holds no vault itself. */
export function payoutReaderOn(database: Database, config: Pick<Config, 'devChains' | 'treasury'>): PayoutReader {
  const vault = new VaultWatch(database, new VaultState(), createLogger('silent'));
  const sweeps = new SweepReader(database, new HotWalletCap(new PricingService(database), config));
  return new PayoutReader(database, vault, new HotWalletReader(database), sweeps, new ReturnReader(database), config);
}

/** The desk on which staff handle withdrawals. */
export function withdrawalDeskOn(database: Database): WithdrawalDesk {
  const sanctions = new SanctionsList(database);
  const endings = new WithdrawalOutcomeHandler(database, new LedgerService(), new EventsService(noQueue), sanctions);
  return new WithdrawalDesk(database, endings);
}

/** Takes forgotten transactions into the books. */
export function adoptionOn(database: Database): Adoption {
  return new Adoption(database);
}
