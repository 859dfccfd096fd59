import { Module } from '@nestjs/common';
import { PricingModule } from '../../pricing/pricing.module.js';
import { TreasuryModule } from '../treasury.module.js';
import { ContractEndings } from './contract-endings.service.js';
import { SweepContractsOnChain } from './sweep-contracts-on-chain.service.js';
import { SweepDrafts } from './sweep-drafts.service.js';
import { SweepEndings } from './sweep-endings.service.js';
import { SweepOperationsModule } from './sweep-operations.module.js';
import { SweepPlanner } from './sweep-planner.service.js';
import { SweepSigner } from './sweep-signer.service.js';

/** Brings coins from deposit addresses to the hot wallets, where withdrawals are paid from. */
@Module({
  imports: [PricingModule, SweepOperationsModule, TreasuryModule],
  providers: [SweepDrafts, SweepContractsOnChain, SweepPlanner, SweepSigner, SweepEndings, ContractEndings],
  exports: [SweepOperationsModule, SweepPlanner, SweepSigner, SweepEndings, ContractEndings],
})
export class SweepsModule {}
