import { Module } from '@nestjs/common';
import { Adoption } from './adoption.service.js';
import { ExpiringAdoption } from './expiring/expiring-adoption.service.js';

/** Adopts unrecorded transactions after a restore. */
@Module({ providers: [Adoption, ExpiringAdoption], exports: [Adoption, ExpiringAdoption] })
export class AdoptionModule {}
