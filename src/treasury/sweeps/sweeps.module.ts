import { Module } from '@nestjs/common';
import { LedgerModule } from '../../ledger/ledger.module.js';
import { PricingModule } from '../../pricing/pricing.module.js';
import { StakeOutcomeHandler } from '../stakes/stake-outcome-handler.service.js';
import { TreasuryModule } from '../treasury.module.js';
import { ContractOutcomeHandler } from './contract-outcome-handler.service.js';
import { SweepContractsOnChain } from './sweep-contracts-on-chain.service.js';
import { ExpiringSweepDrafts } from './expiring/expiring-sweep-drafts.service.js';
import { ExpiringSweepPlanner } from './expiring/expiring-sweep-planner.service.js';
import { ReturnedRents } from './expiring/returned-rents.service.js';
import { EnergyLoanOutcomeHandler } from './energy/energy-loan-outcome-handler.service.js';
import { EnergyReturnOutcomeHandler } from './energy/energy-return-outcome-handler.service.js';
import { FundedSweepPlanner } from './funding/funded-sweep-planner.service.js';
import { FundingOutcomeHandler } from './funding/funding-outcome-handler.service.js';
import { SweepDrafts } from './sweep-drafts.service.js';
import { SweepOutcomeHandler } from './sweep-outcome-handler.service.js';
import { SweepOperationsModule } from './sweep-operations.module.js';
import { SweepPlanner } from './sweep-planner.service.js';
import { SweepSigner } from './sweep-signer.service.js';

/** Moves funds from deposit addresses to the hot wallets, which pay withdrawals. */
@Module({
  imports: [LedgerModule, PricingModule, SweepOperationsModule, TreasuryModule],
  providers: [
    SweepDrafts,
    SweepContractsOnChain,
    SweepPlanner,
    ExpiringSweepDrafts,
    ExpiringSweepPlanner,
    FundedSweepPlanner,
    ReturnedRents,
    SweepSigner,
    SweepOutcomeHandler,
    ContractOutcomeHandler,
    FundingOutcomeHandler,
    EnergyLoanOutcomeHandler,
    EnergyReturnOutcomeHandler,
    StakeOutcomeHandler,
  ],
  exports: [
    SweepOperationsModule,
    SweepPlanner,
    SweepSigner,
    SweepOutcomeHandler,
    ContractOutcomeHandler,
    FundingOutcomeHandler,
    EnergyLoanOutcomeHandler,
    EnergyReturnOutcomeHandler,
    StakeOutcomeHandler,
  ],
})
export class SweepsModule {}
