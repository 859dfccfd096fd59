import { Module } from '@nestjs/common';
import { SanctionsList } from './sanctions-list.service.js';

/** Who must not be paid. */
@Module({ providers: [SanctionsList], exports: [SanctionsList] })
export class SanctionsModule {}
