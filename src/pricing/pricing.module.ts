import { Module } from '@nestjs/common';
import { PricingService } from './pricing.service.js';

/** Prices of the newest snapshots. */
@Module({ providers: [PricingService], exports: [PricingService] })
export class PricingModule {}
