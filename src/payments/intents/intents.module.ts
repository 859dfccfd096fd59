import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { NetworksModule } from '../../offers/networks.module.js';
import { PricingModule } from '../../pricing/pricing.module.js';
import { WalletsModule } from '../addresses/wallets.module.js';
import { IntentOperationsModule } from './intent-operations.module.js';
import { IntentSweeps } from './intent-sweeps.service.js';
import { IntentWatch } from './intent-watch.service.js';
import { OpenIntents } from './open-intents.service.js';
import { PaymentIntentsService } from './payment-intents.service.js';
import { QuoteEvidenceReader } from './quote-evidence.service.js';

/** Payment intents: created, quoted, found when they are due. */
@Module({
  imports: [EventsModule, IntentOperationsModule, NetworksModule, PricingModule, WalletsModule],
  providers: [PaymentIntentsService, QuoteEvidenceReader, OpenIntents, IntentSweeps, IntentWatch],
  exports: [IntentOperationsModule, PaymentIntentsService, QuoteEvidenceReader, IntentSweeps],
})
export class IntentsModule {}
