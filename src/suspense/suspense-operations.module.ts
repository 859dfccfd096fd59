import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { SettlementModule } from '../payments/intents/settlement.module.js';
import { DecisionQueue } from './decision-queue.service.js';
import { DepositOperations } from './deposit-operations.service.js';
import { ReorgedDepositsModule } from './reorged-deposits.module.js';
import { DepositsWithoutPocket } from './deposits-without-pocket.service.js';
import { RefundOperationsModule } from './refunds/refund-operations.module.js';
import { StaffDepositReader } from './staff-deposit-reader.service.js';

/** Unattributed and frozen deposits: staff list them and decide. */
@Module({
  imports: [LedgerModule, RefundOperationsModule, ReorgedDepositsModule, SettlementModule],
  providers: [DecisionQueue, DepositOperations, DepositsWithoutPocket, StaffDepositReader],
  exports: [DecisionQueue, DepositOperations, DepositsWithoutPocket, StaffDepositReader],
})
export class SuspenseOperationsModule {}
