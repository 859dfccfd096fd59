import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { IdempotencyModule } from '../../idempotency/idempotency.module.js';
import { LedgerModule } from '../../ledger/ledger.module.js';
import { NetworksModule } from '../../offers/networks.module.js';
import { PricingModule } from '../../pricing/pricing.module.js';
import { WalletsModule } from '../addresses/wallets.module.js';
import { DepositCrediting } from '../deposits/deposit-crediting.service.js';
import { IntentCancellation } from './intent-cancellation.service.js';
import { IntentReader } from './intent-reader.service.js';
import { IntentSweeps } from './intent-sweeps.service.js';
import { IntentWatch } from './intent-watch.service.js';
import { OpenIntents } from './open-intents.service.js';
import { PaymentIntentsController } from './payment-intents.controller.js';
import { PaymentIntentsService } from './payment-intents.service.js';
import { QuoteEvidenceController } from './quote-evidence.controller.js';
import { QuoteEvidenceReader } from './quote-evidence.service.js';
import { SettlementService } from './settlement.service.js';

/** Payment intents: created, quoted, settled. */
@Module({
  imports: [EventsModule, IdempotencyModule, LedgerModule, NetworksModule, PricingModule, WalletsModule],
  controllers: [PaymentIntentsController, QuoteEvidenceController],
  providers: [
    PaymentIntentsService,
    QuoteEvidenceReader,
    IntentReader,
    IntentCancellation,
    OpenIntents,
    IntentSweeps,
    IntentWatch,
    SettlementService,
    DepositCrediting,
  ],
  exports: [PaymentIntentsService, IntentReader, IntentCancellation, IntentSweeps, SettlementService],
})
export class IntentsModule {}
