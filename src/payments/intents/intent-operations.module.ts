import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { NetworksModule } from '../../offers/networks.module.js';
import { Acknowledgements } from './acknowledgements.service.js';
import { IntentCancellation } from './intent-cancellation.service.js';
import { IntentReader } from './intent-reader.service.js';
import { QuarantinedIntents } from './quarantined-intents.service.js';
import { StaffIntents } from './staff-intents.service.js';

/** Finds and cancels payment intents. */
@Module({
  imports: [EventsModule, NetworksModule],
  providers: [Acknowledgements, IntentReader, IntentCancellation, QuarantinedIntents, StaffIntents],
  exports: [Acknowledgements, IntentReader, IntentCancellation, QuarantinedIntents, StaffIntents],
})
export class IntentOperationsModule {}
