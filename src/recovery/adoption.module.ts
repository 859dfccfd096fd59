import { Module } from '@nestjs/common';
import { Adoption } from './adoption.service.js';

/** Adopts unrecorded transactions after a restore. */
@Module({ providers: [Adoption], exports: [Adoption] })
export class AdoptionModule {}
