import { Module } from '@nestjs/common';
import { WithdrawalOperationsModule } from '../../withdrawals/withdrawal-operations.module.js';
import { WithdrawalsController } from './withdrawals.controller.js';

/** Withdrawals for the console. */
@Module({ imports: [WithdrawalOperationsModule], controllers: [WithdrawalsController] })
export class WithdrawalsAdminModule {}
