import { Module } from '@nestjs/common';
import { TreasuryChains } from './treasury-chains.service.js';

/** The chains of the ledger, reached through the nodes of this process. */
@Module({ providers: [TreasuryChains], exports: [TreasuryChains] })
export class TreasuryChainsModule {}
