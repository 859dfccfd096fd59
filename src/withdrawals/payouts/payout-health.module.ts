import { Module } from '@nestjs/common';
import { RefundOperationsModule } from '../../suspense/refunds/refund-operations.module.js';
import { SweepOperationsModule } from '../../treasury/sweeps/sweep-operations.module.js';
import { WalletOperationsModule } from '../../treasury/wallets/wallet-operations.module.js';
import { VaultStatusModule } from '../../vault-status/vault-status.module.js';
import { PayoutHealthReader } from './payout-health-reader.service.js';

/** The state of all outgoing payments. */
@Module({
  imports: [RefundOperationsModule, SweepOperationsModule, VaultStatusModule, WalletOperationsModule],
  providers: [PayoutHealthReader],
  exports: [PayoutHealthReader],
})
export class PayoutHealthModule {}
