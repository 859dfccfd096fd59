import { Module } from '@nestjs/common';
import { SanctionsModule } from '../../sanctions/sanctions.module.js';
import { TreasuryModule } from '../../treasury/treasury.module.js';
import { RefundOperationsModule } from './refund-operations.module.js';
import { UnsignedRefunds } from './unsigned-refunds.service.js';

/** Signs the refunds that staff ordered. */
@Module({
  imports: [RefundOperationsModule, SanctionsModule, TreasuryModule],
  providers: [UnsignedRefunds],
  exports: [RefundOperationsModule, UnsignedRefunds],
})
export class RefundsModule {}
