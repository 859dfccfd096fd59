import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { SettlementModule } from '../payments/intents/settlement.module.js';
import { DepositOperations } from './deposit-operations.service.js';
import { DepositsWithoutPocket } from './deposits-without-pocket.service.js';

/** Unattributed and frozen deposits: staff list them and decide. */
@Module({
  imports: [LedgerModule, SettlementModule],
  providers: [DepositOperations, DepositsWithoutPocket],
  exports: [DepositOperations, DepositsWithoutPocket],
})
export class SuspenseOperationsModule {}
