import { Module } from '@nestjs/common';
import { SearchModule } from '../../search/search.module.js';
import { SearchController } from './search.controller.js';

/** Search for the console. */
@Module({ imports: [SearchModule], controllers: [SearchController] })
export class SearchAdminModule {}
