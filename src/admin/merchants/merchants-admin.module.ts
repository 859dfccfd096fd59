import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { LedgerModule } from '../../ledger/ledger.module.js';
import { NetworksModule } from '../../offers/networks.module.js';
import { StaffModule } from '../../staff/staff.module.js';
import { WithdrawalPoliciesModule } from '../../withdrawals/policies/withdrawal-policies.module.js';
import { KeysAdminController } from './keys.controller.js';
import { MerchantsAdminController } from './merchants.controller.js';
import { PoliciesAdminController } from './policies.controller.js';

/** Merchants in the console: their keys and their withdrawal rules. */
@Module({
  imports: [AuthModule, LedgerModule, NetworksModule, StaffModule, WithdrawalPoliciesModule],
  controllers: [MerchantsAdminController, KeysAdminController, PoliciesAdminController],
})
export class MerchantsAdminModule {}
