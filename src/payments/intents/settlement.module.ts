import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { LedgerModule } from '../../ledger/ledger.module.js';
import { DepositBooking } from './deposit-booking.service.js';
import { SettlementService } from './settlement.service.js';

/** Brings payment intents level with their deposits. */
@Module({
  imports: [EventsModule, LedgerModule],
  providers: [SettlementService, DepositBooking],
  exports: [SettlementService],
})
export class SettlementModule {}
