import { Module } from '@nestjs/common';
import { NetworksModule } from '../offers/networks.module.js';
import { PricingModule } from '../pricing/pricing.module.js';
import { ExplainController } from './explain.controller.js';
import { ExplainService } from './explain.service.js';
import { IntentFactsReader } from './intent-facts-reader.service.js';
import { WebhookFactsReader } from './webhook-facts-reader.service.js';

/** Explains the state of a payment intent: on top of everything, and imported by nothing. */
@Module({
  imports: [NetworksModule, PricingModule],
  controllers: [ExplainController],
  providers: [ExplainService, IntentFactsReader, WebhookFactsReader],
})
export class ExplainModule {}
