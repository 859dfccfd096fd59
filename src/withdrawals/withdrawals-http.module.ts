import { Module } from '@nestjs/common';
import { WithdrawalsController } from './withdrawals.controller.js';
import { WithdrawalsModule } from './withdrawals.module.js';

/** Withdrawals over HTTP. */
@Module({ imports: [WithdrawalsModule], controllers: [WithdrawalsController] })
export class WithdrawalsHttpModule {}
