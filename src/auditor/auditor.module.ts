import { Module } from '@nestjs/common';
import { BooksAuditor } from './books-auditor.service.js';

/** Audits the books with code that does not write them. */
@Module({ providers: [BooksAuditor], exports: [BooksAuditor] })
export class AuditorModule {}
