import { Get, Query, type StreamableFile } from '@nestjs/common';
import { type CsvCell, csvLines } from '../../http/csv.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { recordAction } from '../../platform/audit-trail.js';
import { Database } from '../../platform/database/database.js';
import { actorOf, CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { exportStaffWithdrawalsQuery, type StaffWithdrawalFilter } from '../../withdrawals/staff-withdrawal.schema.js';
import { type StaffWithdrawal, StaffWithdrawals } from '../../withdrawals/staff-withdrawals.service.js';
import { csvAnswer, EXPORTED_MAX } from '../csv-answer.js';
import { EnvironmentController } from '../environment-controller.js';
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
    const details = Object.fromEntries(
      Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, filterText(value)]])),
    );
    await this.database.transaction((tx) =>
      recordAction(tx, {
        ...actorOf(staff),
        action: 'withdrawals.export',
        subject: environment,
        reason: null,
        details,
      }),
    );
    const batches = this.withdrawals.batches(environment, filter, EXPORTED_MAX);
    return csvAnswer(`withdrawals-${environment}`, csvLines(HEAD, batches, cellsOf));
  }
}

function filterText(value: NonNullable<StaffWithdrawalFilter[keyof StaffWithdrawalFilter]>): string {
  if (typeof value === 'string') return value;
  return value instanceof Date ? value.toISOString() : value.key;
}

function cellsOf(withdrawal: StaffWithdrawal): readonly CsvCell[] {
  const presented = presentStaffWithdrawal(withdrawal);
  return HEAD.map((name) => presented[name]);
}
