import { Module } from '@nestjs/common';
import { NetworksModule } from '../offers/networks.module.js';
import { PricingModule } from '../pricing/pricing.module.js';
import { AddressPoolModule } from '../payments/addresses/address-pool.module.js';
import { VaultStatusModule } from '../vault-status/vault-status.module.js';
import { PayoutHealthModule } from '../withdrawals/payouts/payout-health.module.js';
import { HealthService } from './health.service.js';

/** Liveness and readiness, in every role. */
@Module({
  imports: [NetworksModule, PayoutHealthModule, PricingModule, VaultStatusModule, AddressPoolModule],
  providers: [HealthService],
  exports: [HealthService],
})
export class HealthModule {}
