import { Module } from '@nestjs/common';
import { BooksProofModule } from '../../auditor/books-proof.module.js';
import { BooksController } from './books.controller.js';

/** The proof of the books in the console. */
@Module({ imports: [BooksProofModule], controllers: [BooksController] })
export class BooksAdminModule {}
