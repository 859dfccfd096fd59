import { EventsService } from '../../events/events.service.js';
import { DepositCrediting } from '../../payments/deposits/deposit-crediting.service.js';
import { SettlementService } from '../../payments/intents/settlement.service.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { PocketsService } from '../../ledger/pockets.service.js';
import type { Database } from '../../platform/database/database.js';
import { DepositDesk } from '../../suspense/deposit-desk.service.js';
import { noQueue } from '../no-queue.js';

/** Where staff decide about held deposits. */
export function depositDeskOn(database: Database): DepositDesk {
  const ledger = new LedgerService();
  const pockets = new PocketsService();
  const settlement = new SettlementService(database, new DepositCrediting(ledger, pockets), new EventsService(noQueue));
  return new DepositDesk(ledger, pockets, settlement);
}
