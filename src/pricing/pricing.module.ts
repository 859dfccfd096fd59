import { Module } from '@nestjs/common';
import { PricingService } from './pricing.service.js';

/** Prices as the newest rounds say. */
@Module({ providers: [PricingService], exports: [PricingService] })
export class PricingModule {}
