import { Module } from '@nestjs/common';
import { LedgerService } from './ledger.service.js';
import { PocketReader } from './pocket-reader.service.js';
import { PocketsService } from './pockets.service.js';
import { Sealer } from './sealer.service.js';

/** The books, and the pockets of merchants. */
@Module({
  providers: [LedgerService, PocketsService, PocketReader, Sealer],
  exports: [LedgerService, PocketsService, PocketReader, Sealer],
})
export class LedgerModule {}
