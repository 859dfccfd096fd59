import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { LedgerModule } from '../../ledger/ledger.module.js';
import { DepositBooking } from './deposit-booking.service.js';
import { SettlementService } from './settlement.service.js';

/** Derives the status of payment intents from their deposits, and books what is final. */
@Module({
  imports: [EventsModule, LedgerModule],
  providers: [SettlementService, DepositBooking],
  exports: [SettlementService],
})
export class SettlementModule {}
