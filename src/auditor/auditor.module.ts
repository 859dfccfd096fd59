import { Module } from '@nestjs/common';
import { BooksAuditor } from './books-auditor.service.js';

/** The books, looked at by somebody who had no part in writing them. */
@Module({ providers: [BooksAuditor], exports: [BooksAuditor] })
export class AuditorModule {}
