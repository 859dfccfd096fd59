import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { TreasuryChainsModule } from '../treasury/treasury-chains.module.js';
import { DepositReversals } from './deposit-reversals.service.js';
import { ReorgedDeposits } from './reorged-deposits.service.js';

/** Deposits that were final and that their chain lost: found by the workers, booked out by staff. */
@Module({
  imports: [LedgerModule, TreasuryChainsModule],
  providers: [DepositReversals, ReorgedDeposits],
  exports: [DepositReversals, ReorgedDeposits],
})
export class ReorgedDepositsModule {}
