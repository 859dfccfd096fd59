import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { TreasuryModule } from '../treasury/treasury.module.js';
import { ReorgedDeposits } from './reorged-deposits.service.js';
import { UnallocatedDeposits } from './unallocated-deposits.service.js';
import { SuspenseWatch } from './suspense-watch.service.js';
import { SuspenseBooking } from './suspense-booking.service.js';

/** Final money that is in no pocket, and final deposits that were reorged. Staff decide by commands. */
@Module({
  imports: [LedgerModule, TreasuryModule],
  providers: [SuspenseBooking, UnallocatedDeposits, SuspenseWatch, ReorgedDeposits],
  exports: [SuspenseBooking, SuspenseWatch, ReorgedDeposits],
})
export class SuspenseModule {}
