import { Module } from '@nestjs/common';
import { PricingModule } from '../../pricing/pricing.module.js';
import { TreasuryModule } from '../treasury.module.js';
import { ContractEndings } from './contract-endings.service.js';
import { HotWalletCap } from './hot-wallet-cap.service.js';
import { SweepContractsOnChain } from './sweep-contracts-on-chain.service.js';
import { SweepDrafts } from './sweep-drafts.service.js';
import { SweepEndings } from './sweep-endings.service.js';
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
    SweepEndings,
    ContractEndings,
    SweepReader,
  ],
  exports: [SweepReader, SweepPlanner, SweepSigner, SweepEndings, ContractEndings],
})
export class SweepsModule {}
