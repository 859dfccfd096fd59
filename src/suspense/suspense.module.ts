import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { TreasuryModule } from '../treasury/treasury.module.js';
import { GoneDeposits } from './gone-deposits.service.js';
import { HeldDeposits } from './held-deposits.service.js';
import { HeldWatch } from './held-watch.service.js';
import { SuspenseBooking } from './suspense-booking.service.js';

/** Final money that is in no pocket, and final deposits that were reorged. Staff decide by commands. */
@Module({
  imports: [LedgerModule, TreasuryModule],
  providers: [SuspenseBooking, HeldDeposits, HeldWatch, GoneDeposits],
  exports: [SuspenseBooking, HeldWatch, GoneDeposits],
})
export class SuspenseModule {}
