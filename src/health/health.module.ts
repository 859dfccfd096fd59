import { Module } from '@nestjs/common';
import { NetworksModule } from '../offers/networks.module.js';
import { PricingModule } from '../pricing/pricing.module.js';
import { WalletsModule } from '../payments/addresses/wallets.module.js';
import { WithdrawalsModule } from '../withdrawals/withdrawals.module.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';

/** Liveness and readiness, in every role. */
@Module({
  imports: [NetworksModule, PricingModule, WalletsModule, WithdrawalsModule],
  controllers: [HealthController],
  providers: [HealthService],
  exports: [HealthService],
})
export class HealthModule {}
