import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../../idempotency/idempotency.module.js';
import { IntentsModule } from './intents.module.js';
import { PaymentIntentsController } from './payment-intents.controller.js';
import { QuoteEvidenceController } from './quote-evidence.controller.js';

/** Payment intents over HTTP. */
@Module({
  imports: [IdempotencyModule, IntentsModule],
  controllers: [PaymentIntentsController, QuoteEvidenceController],
})
export class IntentsHttpModule {}
