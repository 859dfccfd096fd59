import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { HeldWatch } from './held-watch.service.js';
import { SuspenseBooking } from './suspense-booking.service.js';
import { SuspenseOperationsModule } from './suspense-operations.module.js';

/** Books final money that belongs to no intent, and counts what waits for staff. */
@Module({
  imports: [LedgerModule, SuspenseOperationsModule],
  providers: [SuspenseBooking, HeldWatch],
  exports: [SuspenseBooking, HeldWatch],
})
export class SuspenseModule {}
