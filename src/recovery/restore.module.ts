import { Module } from '@nestjs/common';
import { WithdrawalPoliciesModule } from '../withdrawals/policies/withdrawal-policies.module.js';
import { UnrecordedSent } from './expiring/unrecorded-sent.service.js';
import { RestoredDatabase } from './restored-database.service.js';
import { UnrecordedTransactions } from './unrecorded-transactions.service.js';

/** Stops signing after a restore, and finds unrecorded transactions. */
@Module({
  imports: [WithdrawalPoliciesModule],
  providers: [RestoredDatabase, UnrecordedTransactions, UnrecordedSent],
  exports: [RestoredDatabase, UnrecordedTransactions, UnrecordedSent],
})
export class RestoreModule {}
