import { Module } from '@nestjs/common';
import { LedgerModule } from './ledger.module.js';
import { StaffPockets } from './staff-pockets.service.js';

/** Shows the pockets of all merchants to staff. */
@Module({ imports: [LedgerModule], providers: [StaffPockets], exports: [StaffPockets] })
export class PocketOperationsModule {}
