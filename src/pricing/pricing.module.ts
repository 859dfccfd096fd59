import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '../platform/config.js';
import { PriceMarket } from './price-market.service.js';
import { PriceSnapshots } from './price-snapshots.service.js';
import { PriceSources } from './price-sources.js';
import { PriceWatch } from './price-watch.js';
import { PricingService } from './pricing.service.js';

/** Prices, and the snapshots that are their evidence. */
@Module({
  providers: [
    PricingService,
    PriceMarket,
    PriceSnapshots,
    PriceWatch,
    { provide: PriceSources, inject: [CONFIG], useFactory: (config: Config) => new PriceSources(config) },
  ],
  exports: [PricingService, PriceSnapshots, PriceWatch],
})
export class PricingModule {}
