import { Module } from '@nestjs/common';
import { LedgerModule } from './ledger.module.js';
import { PocketsController } from './pockets.controller.js';

/** Pockets over HTTP. */
@Module({ imports: [LedgerModule], controllers: [PocketsController] })
export class LedgerHttpModule {}
