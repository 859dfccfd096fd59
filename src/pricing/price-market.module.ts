import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '../platform/config.js';
import { PriceMarket } from './price-market.service.js';
import { PriceSources } from './price-sources.js';

/** Asks the price sources. */
@Module({
  providers: [
    PriceMarket,
    { provide: PriceSources, inject: [CONFIG], useFactory: (config: Config) => new PriceSources(config) },
  ],
  exports: [PriceMarket],
})
export class PriceMarketModule {}
