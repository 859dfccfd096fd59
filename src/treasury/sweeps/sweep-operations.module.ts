import { Module } from '@nestjs/common';
import { PricingModule } from '../../pricing/pricing.module.js';
import { HotWalletCap } from './hot-wallet-cap.service.js';
import { SweepOperations } from './sweep-operations.service.js';
import { SweepReader } from './sweep-reader.service.js';

/** Sweeps for operators, with retries. */
@Module({
  imports: [PricingModule],
  providers: [HotWalletCap, SweepOperations, SweepReader],
  exports: [HotWalletCap, SweepOperations, SweepReader],
})
export class SweepOperationsModule {}
