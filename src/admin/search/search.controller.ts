import { Get, Query } from '@nestjs/common';
import { ENVIRONMENTS } from '../../domain/network.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { Search } from '../../search/search.service.js';
import {
  CurrentSession,
  CurrentStaff,
  RequirePermission,
  type SignedIn,
  type StaffCaller,
} from '../../staff/staff-access.js';
import { EnvironmentController } from '../environment-controller.js';
import { presentSearch } from './search.presenter.js';
import { type SearchQuery, searchQuery, type SearchResultObject, searchResultSchema } from './search.schema.js';

/** Finds what a text names. */
@EnvironmentController('search')
export class SearchController {
  constructor(private readonly search: Search) {}

  @Get()
  @RequirePermission('intents.read')
  @ApiOperationDocs({
    operationId: 'search',
    summary: 'Find what a text names',
    description:
      'By exact identifiers alone: ids, addresses, transaction hashes, references, idempotency keys of calls that create ' +
      'something, request ids. They are also found inside a pasted mail.',
    tag: 'Search',
    success: { description: 'What was found.', schema: searchResultSchema },
  })
  async find(
    @CurrentStaff() { environment }: StaffCaller,
    @CurrentSession() { session }: SignedIn,
    @Query({ schema: searchQuery }) { q }: SearchQuery,
  ): Promise<SearchResultObject> {
    const visible = ENVIRONMENTS.filter((one) => session.roles[one] !== 'none');
    return presentSearch(await this.search.find(q, { environment, visible }), environment);
  }
}
