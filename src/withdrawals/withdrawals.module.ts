import { Module } from '@nestjs/common';
import { NetworksModule } from '../offers/networks.module.js';
import { TreasuryModule } from '../treasury/treasury.module.js';
import { DestinationAccounts } from './destination-accounts.service.js';
import { WithdrawalChecks } from './withdrawal-checks.service.js';
import { WithdrawalReader } from './withdrawal-reader.service.js';
import { WithdrawalsService } from './withdrawals.service.js';

/** Withdrawals as merchants order and read them; `PayoutsModule` pays them. */
@Module({
  imports: [NetworksModule, TreasuryModule],
  providers: [WithdrawalsService, WithdrawalChecks, DestinationAccounts, WithdrawalReader],
  exports: [WithdrawalsService, WithdrawalReader],
})
export class WithdrawalsModule {}
