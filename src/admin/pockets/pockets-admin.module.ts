import { Module } from '@nestjs/common';
import { BooksProofModule } from '../../auditor/books-proof.module.js';
import { PocketOperationsModule } from '../../ledger/pocket-operations.module.js';
import { PocketsController } from './pockets.controller.js';

/** Pockets for the console. */
@Module({ imports: [BooksProofModule, PocketOperationsModule], controllers: [PocketsController] })
export class PocketsAdminModule {}
