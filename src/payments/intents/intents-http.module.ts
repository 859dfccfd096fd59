import { Module } from '@nestjs/common';
import { IntentsModule } from './intents.module.js';
import { PaymentIntentsController } from './payment-intents.controller.js';
import { QuoteEvidenceController } from './quote-evidence.controller.js';

/** Payment intents over HTTP. */
@Module({
  imports: [IntentsModule],
  controllers: [PaymentIntentsController, QuoteEvidenceController],
})
export class IntentsHttpModule {}
