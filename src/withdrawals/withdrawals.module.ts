import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { NetworksModule } from '../offers/networks.module.js';
import { SanctionsModule } from '../sanctions/sanctions.module.js';
import { TreasuryModule } from '../treasury/treasury.module.js';
import { WithdrawalChecks } from './withdrawal-checks.service.js';
import { WithdrawalReader } from './withdrawal-reader.service.js';
import { WithdrawalsService } from './withdrawals.service.js';

/** Withdrawals as merchants order and read them; `PayoutsModule` pays them. */
@Module({
  imports: [LedgerModule, NetworksModule, SanctionsModule, TreasuryModule],
  providers: [WithdrawalsService, WithdrawalChecks, WithdrawalReader],
  exports: [WithdrawalsService, WithdrawalReader],
})
export class WithdrawalsModule {}
