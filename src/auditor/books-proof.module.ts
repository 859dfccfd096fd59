import { Module } from '@nestjs/common';
import { BooksProofs } from './books-proof.service.js';

/** The last audits of the books, for staff. */
@Module({ providers: [BooksProofs], exports: [BooksProofs] })
export class BooksProofModule {}
