import { Module } from '@nestjs/common';
import { PricingModule } from '../../pricing/pricing.module.js';
import { TreasuryModule } from '../treasury.module.js';
import { ContractOutcomeHandler } from './contract-outcome-handler.service.js';
import { HotWalletCap } from './hot-wallet-cap.service.js';
import { SweepContractsOnChain } from './sweep-contracts-on-chain.service.js';
import { SweepDrafts } from './sweep-drafts.service.js';
import { SweepOutcomeHandler } from './sweep-outcome-handler.service.js';
import { SweepPlanner } from './sweep-planner.service.js';
import { SweepReader } from './sweep-reader.service.js';
import { SweepSigner } from './sweep-signer.service.js';

/** Brings coins from deposit addresses to the hot wallets, where withdrawals are paid from. */
@Module({
  imports: [TreasuryModule, PricingModule],
  providers: [
    HotWalletCap,
    SweepDrafts,
    SweepContractsOnChain,
    SweepPlanner,
    SweepSigner,
    SweepOutcomeHandler,
    ContractOutcomeHandler,
    SweepReader,
  ],
  exports: [SweepReader, SweepPlanner, SweepSigner, SweepOutcomeHandler, ContractOutcomeHandler],
})
export class SweepsModule {}
