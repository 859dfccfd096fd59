import { Get, Query, type StreamableFile } from '@nestjs/common';
import { type CsvCell, csvLines } from '../../http/csv.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { Database } from '../../platform/database/database.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { exportStaffWithdrawalsQuery, type StaffWithdrawalFilter } from '../../withdrawals/staff-withdrawal.schema.js';
import { type StaffWithdrawal, StaffWithdrawals } from '../../withdrawals/staff-withdrawals.service.js';
import { csvAnswer, EXPORTED_MAX } from '../csv-answer.js';
import { EnvironmentController } from '../environment-controller.js';
import { recordExport } from '../export-record.js';
import { presentStaffWithdrawal } from './withdrawals.presenter.js';
import type { StaffWithdrawalObject } from './withdrawals.schema.js';

const HEAD = [
  'id',
  'merchant_id',
  'merchant_name',
  'reference',
  'status',
  'standing',
  'failure_code',
  'amount_decimal',
  'token',
  'network',
  'pocket_id',
  'destination',
  'tx_hash',
  'created_at',
  'completed_at',
] as const satisfies readonly (keyof StaffWithdrawalObject)[];

/** Exports withdrawals. */
@EnvironmentController()
export class WithdrawalsExportController {
  constructor(
    private readonly database: Database,
    private readonly withdrawals: StaffWithdrawals,
  ) {}

  @Get('withdrawals.csv')
  @RequirePermission('withdrawals.read')
  @ApiOperationDocs({
    operationId: 'exportStaffWithdrawals',
    summary: 'Export withdrawals as CSV',
    description: 'The withdrawals of the filter, newest first, 50,000 at most. Times are UTC.',
    tag: 'Withdrawals',
    success: { description: 'The file.' },
  })
  async export(
    @CurrentStaff() staff: StaffCaller,
    @Query({ schema: exportStaffWithdrawalsQuery }) filter: StaffWithdrawalFilter,
  ): Promise<StreamableFile> {
    const { environment } = staff;
    await recordExport(this.database, staff, { action: 'withdrawals.export', filter });
    const batches = this.withdrawals.batches(environment, filter, EXPORTED_MAX);
    return csvAnswer(`withdrawals-${environment}`, csvLines(HEAD, batches, cellsOf));
  }
}

function cellsOf(withdrawal: StaffWithdrawal): readonly CsvCell[] {
  const presented = presentStaffWithdrawal(withdrawal);
  return HEAD.map((name) => presented[name]);
}
