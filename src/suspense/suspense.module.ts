import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { SuspenseWatch } from './suspense-watch.service.js';
import { SuspenseBooking } from './suspense-booking.service.js';
import { SuspenseOperationsModule } from './suspense-operations.module.js';

/** Books final money that belongs to no intent, and counts what waits for a decision. */
@Module({
  imports: [LedgerModule, SuspenseOperationsModule],
  providers: [SuspenseBooking, SuspenseWatch],
  exports: [SuspenseBooking, SuspenseWatch],
})
export class SuspenseModule {}
