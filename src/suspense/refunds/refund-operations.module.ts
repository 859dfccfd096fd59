import { Module } from '@nestjs/common';
import { LedgerModule } from '../../ledger/ledger.module.js';
import { SanctionsModule } from '../../sanctions/sanctions.module.js';
import { RefundOperations } from './refund-operations.service.js';
import { RefundOutcomeHandler } from './refund-outcome-handler.service.js';
import { RefundReader } from './refund-reader.service.js';

/** Refunds of unattributed deposits: staff order, read and cancel them. */
@Module({
  imports: [LedgerModule, SanctionsModule],
  providers: [RefundOperations, RefundOutcomeHandler, RefundReader],
  exports: [RefundOperations, RefundOutcomeHandler, RefundReader],
})
export class RefundOperationsModule {}
