import { Get, Query, type StreamableFile } from '@nestjs/common';
import { type CsvCell, csvLines } from '../../http/csv.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { exportStaffIntentsQuery, type StaffIntentFilter } from '../../payments/intents/staff-intent.schema.js';
import { type StaffIntent, StaffIntents } from '../../payments/intents/staff-intents.service.js';
import { Database } from '../../platform/database/database.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { csvAnswer, EXPORTED_MAX } from '../csv-answer.js';
import { EnvironmentController } from '../environment-controller.js';
import { recordExport } from '../export-record.js';

const HEAD = [
  'id',
  'merchant_id',
  'merchant_name',
  'reference',
  'status',
  'failure_code',
  'amount_cents',
  'received_amount_cents',
  'overpaid_amount_cents',
  'currency',
  'crypto_amount',
  'network',
  'token',
  'address',
  'created_at',
  'expires_at',
  'completed_at',
] as const;

/** Exports payment intents. */
@EnvironmentController()
export class IntentsExportController {
  constructor(
    private readonly database: Database,
    private readonly intents: StaffIntents,
  ) {}

  @Get('intents.csv')
  @RequirePermission('intents.read')
  @ApiOperationDocs({
    operationId: 'exportIntents',
    summary: 'Export payment intents as CSV',
    description: 'The intents of the filter, newest first, 50,000 at most. Times are UTC.',
    tag: 'Intents',
    success: { description: 'The file.' },
  })
  async export(
    @CurrentStaff() staff: StaffCaller,
    @Query({ schema: exportStaffIntentsQuery }) filter: StaffIntentFilter,
  ): Promise<StreamableFile> {
    const { environment } = staff;
    await recordExport(this.database, staff, { action: 'intents.export', filter });
    const batches = this.intents.batches(environment, filter, EXPORTED_MAX);
    return csvAnswer(`intents-${environment}`, csvLines(HEAD, batches, cellsOf));
  }
}

function cellsOf({ presented, stored, merchantName }: StaffIntent): readonly CsvCell[] {
  return [
    presented.id,
    presented.merchant_id,
    merchantName,
    presented.reference,
    presented.status,
    presented.failure_code,
    presented.amount_cents,
    presented.received_amount_cents,
    presented.overpaid_amount_cents,
    presented.currency,
    presented.crypto_amount_decimal,
    presented.network,
    presented.token,
    presented.address,
    stored.createdAt,
    stored.expiresAt,
    stored.completedAt,
  ];
}
