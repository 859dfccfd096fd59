import { Module } from '@nestjs/common';
import { PriceMarketModule } from './price-market.module.js';
import { PriceSnapshots } from './price-snapshots.service.js';
import { PriceWatch } from './price-watch.js';
import { PricingModule } from './pricing.module.js';

/** Takes price rounds, the evidence of every quote, and watches them. */
@Module({
  imports: [PriceMarketModule, PricingModule],
  providers: [PriceSnapshots, PriceWatch],
  exports: [PriceSnapshots, PriceWatch],
})
export class PriceSnapshotsModule {}
