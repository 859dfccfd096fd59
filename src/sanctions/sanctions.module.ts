import { Module } from '@nestjs/common';
import { SanctionsList } from './sanctions-list.service.js';

/** Screening of addresses against the sanctions list. */
@Module({ providers: [SanctionsList], exports: [SanctionsList] })
export class SanctionsModule {}
