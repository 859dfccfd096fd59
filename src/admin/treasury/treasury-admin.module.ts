import { Module } from '@nestjs/common';
import { StakeOperationsModule } from '../../treasury/stakes/stake-operations.module.js';
import { SweepOperationsModule } from '../../treasury/sweeps/sweep-operations.module.js';
import { WalletOperationsModule } from '../../treasury/wallets/wallet-operations.module.js';
import { TreasuryController } from './treasury.controller.js';

/** Our own funds in the console. */
@Module({
  imports: [StakeOperationsModule, SweepOperationsModule, WalletOperationsModule],
  controllers: [TreasuryController],
})
export class TreasuryAdminModule {}
