import { Module } from '@nestjs/common';
import { PricingModule } from '../../pricing/pricing.module.js';
import { PricesController } from './prices.controller.js';

/** Prices in the console. */
@Module({ imports: [PricingModule], controllers: [PricesController] })
export class PricesAdminModule {}
