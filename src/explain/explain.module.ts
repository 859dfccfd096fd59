import { Module } from '@nestjs/common';
import { NetworksModule } from '../offers/networks.module.js';
import { PricingModule } from '../pricing/pricing.module.js';
import { ExplainService } from './explain.service.js';
import { IntentFactsReader } from './intent-facts-reader.service.js';
import { OddDeposits } from './odd-deposits.service.js';
import { WebhookFactsReader } from './webhook-facts-reader.service.js';

/** Why a payment intent is where it is, and which deposits paid none: on top of everything, and imported by nothing. */
@Module({
  imports: [NetworksModule, PricingModule],
  providers: [ExplainService, IntentFactsReader, OddDeposits, WebhookFactsReader],
  exports: [ExplainService, OddDeposits],
})
export class ExplainModule {}
