import { Module } from '@nestjs/common';
import { Adoption } from './adoption.service.js';

/** Records transactions that a restored database does not know. */
@Module({ providers: [Adoption], exports: [Adoption] })
export class AdoptionModule {}
