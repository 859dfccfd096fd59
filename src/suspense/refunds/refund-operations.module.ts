import { Module } from '@nestjs/common';
import { LedgerModule } from '../../ledger/ledger.module.js';
import { SanctionsModule } from '../../sanctions/sanctions.module.js';
import { RefundOperations } from './refund-operations.service.js';
import { ReturnEndings } from './return-endings.service.js';
import { ReturnReader } from './return-reader.service.js';

/** Refunds of unattributed deposits: staff order, read and cancel them. */
@Module({
  imports: [LedgerModule, SanctionsModule],
  providers: [RefundOperations, ReturnEndings, ReturnReader],
  exports: [RefundOperations, ReturnEndings, ReturnReader],
})
export class RefundOperationsModule {}
