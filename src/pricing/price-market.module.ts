import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '../platform/config.js';
import { PriceMarket } from './price-market.service.js';
import { ConfiguredSources } from './configured-sources.js';

/** Asks the price sources. */
@Module({
  providers: [
    PriceMarket,
    { provide: ConfiguredSources, inject: [CONFIG], useFactory: (config: Config) => new ConfiguredSources(config) },
  ],
  exports: [PriceMarket],
})
export class PriceMarketModule {}
