import { Module } from '@nestjs/common';
import { TreasuryChainsModule } from '../treasury/treasury-chains.module.js';
import { Adoption } from './adoption.service.js';
import { DeadStakes } from './expiring/dead-stakes.service.js';
import { ExpiringAdoption } from './expiring/expiring-adoption.service.js';

/** Adopts unrecorded transactions after a restore, and ends signed ones that are never mined. */
@Module({
  imports: [TreasuryChainsModule],
  providers: [Adoption, ExpiringAdoption, DeadStakes],
  exports: [Adoption, ExpiringAdoption, DeadStakes],
})
export class AdoptionModule {}
