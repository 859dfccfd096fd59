import { Module } from '@nestjs/common';
import { Search } from './search.service.js';

/** Finds what a text names, over all merchants: for staff. */
@Module({ providers: [Search], exports: [Search] })
export class SearchModule {}
