import { Module } from '@nestjs/common';
import { NetworksModule } from '../offers/networks.module.js';
import { PricingModule } from '../pricing/pricing.module.js';
import { ExplainService } from './explain.service.js';
import { IntentFactsReader } from './intent-facts-reader.service.js';
import { MismatchedDeposits } from './mismatched-deposits.service.js';
import { IntentTimeline } from './timeline/timeline.service.js';
import { WebhookFactsReader } from './webhook-facts-reader.service.js';

/** Explains the state of a payment intent, and lists the deposits that paid none: on top of everything, imported by nothing. */
@Module({
  imports: [NetworksModule, PricingModule],
  providers: [ExplainService, IntentFactsReader, IntentTimeline, MismatchedDeposits, WebhookFactsReader],
  exports: [ExplainService, IntentTimeline, MismatchedDeposits],
})
export class ExplainModule {}
