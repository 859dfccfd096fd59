import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { WithdrawalsController } from './withdrawals.controller.js';
import { WithdrawalsModule } from './withdrawals.module.js';

/** Withdrawals over HTTP. */
@Module({ imports: [IdempotencyModule, WithdrawalsModule], controllers: [WithdrawalsController] })
export class WithdrawalsHttpModule {}
