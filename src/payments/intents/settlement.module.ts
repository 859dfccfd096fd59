import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { LedgerModule } from '../../ledger/ledger.module.js';
import { DepositCrediting } from './deposit-crediting.service.js';
import { SettlementService } from './settlement.service.js';

/** Brings payment intents level with their deposits. */
@Module({
  imports: [EventsModule, LedgerModule],
  providers: [SettlementService, DepositCrediting],
  exports: [SettlementService],
})
export class SettlementModule {}
