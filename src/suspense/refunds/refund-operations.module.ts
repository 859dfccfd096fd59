import { Module } from '@nestjs/common';
import { LedgerModule } from '../../ledger/ledger.module.js';
import { SanctionsModule } from '../../sanctions/sanctions.module.js';
import { RefundOperations } from './refund-operations.service.js';
import { ReturnOutcomeHandler } from './return-outcome-handler.service.js';
import { ReturnReader } from './return-reader.service.js';

/** Refunds of unattributed deposits: staff order, read and cancel them. */
@Module({
  imports: [LedgerModule, SanctionsModule],
  providers: [RefundOperations, ReturnOutcomeHandler, ReturnReader],
  exports: [RefundOperations, ReturnOutcomeHandler, ReturnReader],
})
export class RefundOperationsModule {}
