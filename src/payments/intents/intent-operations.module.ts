import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { NetworksModule } from '../../offers/networks.module.js';
import { IntentCancellation } from './intent-cancellation.service.js';
import { IntentReader } from './intent-reader.service.js';
import { QuarantinedIntents } from './quarantined-intents.service.js';
import { StaffIntents } from './staff-intents.service.js';

/** Finds and cancels payment intents. */
@Module({
  imports: [EventsModule, NetworksModule],
  providers: [IntentReader, IntentCancellation, QuarantinedIntents, StaffIntents],
  exports: [IntentReader, IntentCancellation, QuarantinedIntents, StaffIntents],
})
export class IntentOperationsModule {}
