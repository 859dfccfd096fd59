import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { SanctionsModule } from '../sanctions/sanctions.module.js';
import { WithdrawalOutcomeHandler } from './payouts/withdrawal-outcome-handler.service.js';
import { StaffWithdrawals } from './staff-withdrawals.service.js';
import { WithdrawalDetailsReader } from './withdrawal-details.service.js';
import { WithdrawalOperations } from './withdrawal-operations.service.js';

/** Shows withdrawals to staff, and cancels them. */
@Module({
  imports: [EventsModule, LedgerModule, SanctionsModule],
  providers: [WithdrawalDetailsReader, WithdrawalOutcomeHandler, WithdrawalOperations, StaffWithdrawals],
  exports: [WithdrawalDetailsReader, WithdrawalOutcomeHandler, WithdrawalOperations, StaffWithdrawals],
})
export class WithdrawalOperationsModule {}
