import { Module } from '@nestjs/common';
import { BooksProofs } from './books-proof.service.js';
import { BooksStates } from './books-states.service.js';

/** The last audits of the books, for staff. */
@Module({ providers: [BooksProofs, BooksStates], exports: [BooksProofs, BooksStates] })
export class BooksProofModule {}
