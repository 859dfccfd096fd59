import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { NetworksModule } from '../../offers/networks.module.js';
import { PricingModule } from '../../pricing/pricing.module.js';
import { AddressPoolModule } from '../addresses/address-pool.module.js';
import { AddressAssignment } from './address-assignment.service.js';
import { IntentOperationsModule } from './intent-operations.module.js';
import { SettlementScheduler } from './settlement-scheduler.service.js';
import { IntentWatch } from './intent-watch.service.js';
import { OpenIntents } from './open-intents.service.js';
import { PaymentIntentsService } from './payment-intents.service.js';
import { QuoteEvidenceReader } from './quote-evidence.service.js';

/** Payment intents: created, quoted, found when they are due. */
@Module({
  imports: [EventsModule, IntentOperationsModule, NetworksModule, PricingModule, AddressPoolModule],
  providers: [
    PaymentIntentsService,
    AddressAssignment,
    QuoteEvidenceReader,
    OpenIntents,
    SettlementScheduler,
    IntentWatch,
  ],
  exports: [IntentOperationsModule, PaymentIntentsService, AddressAssignment, QuoteEvidenceReader],
})
export class IntentsModule {}
