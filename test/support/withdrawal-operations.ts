import { EventsService } from '../../src/events/events.service.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import type { Database } from '../../src/platform/database/database.js';
import { NoQueue } from '../../src/platform/queue/job-waker.js';
import { SanctionsList } from '../../src/sanctions/sanctions-list.service.js';
import { WithdrawalOutcomeHandler } from '../../src/withdrawals/payouts/withdrawal-outcome-handler.service.js';
import { WithdrawalOperations } from '../../src/withdrawals/withdrawal-operations.service.js';

/** The withdrawal operations of staff, in a process without a queue. */
export function withdrawalOperationsOn(database: Database): WithdrawalOperations {
  const events = new EventsService(new NoQueue());
  const outcomes = new WithdrawalOutcomeHandler(database, new LedgerService(), events, new SanctionsList(database));
  return new WithdrawalOperations(database, outcomes);
}
