import { Module } from '@nestjs/common';
import { UnrecordedMarksModule } from '../../recovery/unrecorded-marks.module.js';
import { WithdrawalPoliciesModule } from '../../withdrawals/policies/withdrawal-policies.module.js';
import { WithdrawalOperationsModule } from '../../withdrawals/withdrawal-operations.module.js';
import { SigningController } from './signing.controller.js';
import { WithdrawalActionsController } from './withdrawal-actions.controller.js';
import { WithdrawalsExportController } from './withdrawals-export.controller.js';
import { WithdrawalsController } from './withdrawals.controller.js';

/** Withdrawals for the console. */
@Module({
  imports: [UnrecordedMarksModule, WithdrawalOperationsModule, WithdrawalPoliciesModule],
  controllers: [WithdrawalsExportController, WithdrawalsController, WithdrawalActionsController, SigningController],
})
export class WithdrawalsAdminModule {}
