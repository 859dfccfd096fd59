import { Controller, Get, Param, Query } from '@nestjs/common';
import { CurrentCaller } from '../auth/caller.js';
import type { Caller } from '../auth/caller.js';
import { RequireScope } from '../auth/scopes.js';
import { ApiOperationDocs } from '../http/openapi-operation.decorator.js';
import type { ListPage } from '../http/pagination.js';
import { PocketReader } from './pocket-reader.service.js';
import {
  type ListPocketsQuery,
  type PocketEntryObject,
  type PocketObject,
  listPocketsQuery,
  pocketEntryListSchema,
  pocketListSchema,
  pocketSchema,
} from './pocket.schema.js';

/** The balances of a merchant, and their entries. */
@Controller('v1/pockets')
export class PocketsController {
  constructor(private readonly pockets: PocketReader) {}

  @Get()
  @RequireScope('read')
  @ApiOperationDocs({
    operationId: 'listPockets',
    summary: 'List pockets',
    tag: 'Pockets',
    success: { description: 'One page of your pockets, newest first.', schema: pocketListSchema },
  })
  list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listPocketsQuery }) query: ListPocketsQuery,
  ): Promise<ListPage<PocketObject>> {
    return this.pockets.list(caller, query);
  }

  @Get(':id')
  @RequireScope('read')
  @ApiOperationDocs({
    operationId: 'getPocket',
    summary: 'Retrieve a pocket',
    tag: 'Pockets',
    success: { description: 'The pocket.', schema: pocketSchema },
  })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<PocketObject> {
    return this.pockets.get(caller, id);
  }

  @Get(':id/entries')
  @RequireScope('read')
  @ApiOperationDocs({
    operationId: 'listPocketEntries',
    summary: 'List the bookings of a pocket',
    tag: 'Pockets',
    success: { description: 'One page of bookings, newest first.', schema: pocketEntryListSchema },
  })
  entries(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: listPocketsQuery }) query: ListPocketsQuery,
  ): Promise<ListPage<PocketEntryObject>> {
    return this.pockets.entries(caller, id, query);
  }
}
