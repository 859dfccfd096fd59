import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { HeldDeposits } from './held-deposits.service.js';
import { HeldWatch } from './held-watch.service.js';
import { SuspenseBooking } from './suspense-booking.service.js';

/** Final money that is in no pocket, and money that is gone although it was final. Staff decide by commands. */
@Module({
  imports: [LedgerModule],
  providers: [SuspenseBooking, HeldDeposits, HeldWatch],
  exports: [SuspenseBooking, HeldWatch],
})
export class SuspenseModule {}
