import { Get, Query } from '@nestjs/common';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { type ListRequestsQuery, listRequestsQuery } from '../../request-log/request-filter.schema.js';
import { RequestOverview } from '../../request-log/request-overview.service.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { EnvironmentController } from '../environment-controller.js';
import { presentErrorGroup, presentRequest } from './requests.presenter.js';
import {
  type ApiErrorGroupObject,
  type ApiRequestObject,
  errorGroupListSchema,
  requestListSchema,
} from './requests.schema.js';

const TAG = 'Requests';

/** The API requests of all merchants. */
@EnvironmentController('requests')
@RequirePermission('requests.read')
export class RequestsController {
  constructor(private readonly requests: RequestOverview) {}

  @Get()
  @ApiOperationDocs({
    operationId: 'listApiRequests',
    summary: 'List API requests',
    description:
      'POSTs, and what was answered with an error, but for 401, 404 and 429, which are only counted. A request is stored ' +
      'within about a second after its answer.',
    tag: TAG,
    success: { description: 'One page, newest first.', schema: requestListSchema },
  })
  async list(
    @CurrentStaff() { environment }: StaffCaller,
    @Query({ schema: listRequestsQuery }) query: ListRequestsQuery,
  ): Promise<ListPage<ApiRequestObject>> {
    const found = await this.requests.list(environment, query);
    return listPage(found.map(presentRequest), query.limit);
  }

  @Get('errors')
  @ApiOperationDocs({
    operationId: 'listApiErrors',
    summary: 'List the errors of the last 24 hours by code and route',
    tag: TAG,
    success: { description: 'The largest group first, 100 at most.', schema: errorGroupListSchema },
  })
  async errors(@CurrentStaff() { environment }: StaffCaller): Promise<ListPage<ApiErrorGroupObject>> {
    const groups = await this.requests.errors(environment);
    return listPage(groups.map(presentErrorGroup), groups.length);
  }
}
