import { Module } from '@nestjs/common';
import { TreasuryChains } from './treasury-chains.service.js';

/** The chains that we have books for, through the nodes of this process. */
@Module({ providers: [TreasuryChains], exports: [TreasuryChains] })
export class TreasuryChainsModule {}
