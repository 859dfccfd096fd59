import { Get, Query, type StreamableFile } from '@nestjs/common';
import { csvLines } from '../../http/csv.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { Database } from '../../platform/database/database.js';
import { exportRequestsQuery, type RequestFilter } from '../../request-log/request-filter.schema.js';
import { RequestOverview } from '../../request-log/request-overview.service.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { csvAnswer, EXPORTED_MAX } from '../csv-answer.js';
import { EnvironmentController } from '../environment-controller.js';
import { recordExport } from '../export-record.js';
import { presentRequest } from './requests.presenter.js';

const HEAD = [
  'id',
  'created_at',
  'merchant_id',
  'merchant_name',
  'api_key_id',
  'api_key',
  'method',
  'route',
  'resource_id',
  'status',
  'error_code',
  'idempotency_key',
  'replayed',
  'duration_ms',
] as const;

/** Exports the log of API requests. */
@EnvironmentController()
export class RequestsExportController {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestOverview,
  ) {}

  @Get('requests.csv')
  @RequirePermission('requests.read')
  @ApiOperationDocs({
    operationId: 'exportApiRequests',
    summary: 'Export API requests as CSV',
    description: 'The requests of the filter, newest first, 50,000 at most. Times are UTC.',
    tag: 'Requests',
    success: { description: 'The file.' },
  })
  async export(
    @CurrentStaff() staff: StaffCaller,
    @Query({ schema: exportRequestsQuery }) filter: RequestFilter,
  ): Promise<StreamableFile> {
    const { environment } = staff;
    await recordExport(this.database, staff, { action: 'requests.export', filter });
    const lines = csvLines(HEAD, this.requests.batches(environment, filter, EXPORTED_MAX), (row) => {
      const shown = presentRequest(row);
      return HEAD.map((name) => (name === 'replayed' ? String(shown[name]) : shown[name]));
    });
    return csvAnswer(`requests-${environment}`, lines);
  }
}
