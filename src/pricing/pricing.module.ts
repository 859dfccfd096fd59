import { Module } from '@nestjs/common';
import { PriceRounds } from './price-rounds.service.js';
import { PricingService } from './pricing.service.js';

/** Prices, and the rounds that are their evidence. */
@Module({ providers: [PricingService, PriceRounds], exports: [PricingService, PriceRounds] })
export class PricingModule {}
