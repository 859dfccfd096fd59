import { Get, Query, type StreamableFile } from '@nestjs/common';
import { MismatchedDeposits } from '../../explain/mismatched-deposits.service.js';
import { type CsvCell, csvLines } from '../../http/csv.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { pageBatches } from '../../http/page-batches.js';
import { Database } from '../../platform/database/database.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { type DecisionFilter, exportDecisionsQuery } from '../../suspense/decision-queue.schema.js';
import { DecisionQueue } from '../../suspense/decision-queue.service.js';
import { csvAnswer, EXPORTED_MAX } from '../csv-answer.js';
import { EnvironmentController } from '../environment-controller.js';
import { recordExport } from '../export-record.js';
import { presentDecision, presentMismatched } from './deposits.presenter.js';
import {
  type DecisionObject,
  exportMismatchedQuery,
  type MismatchedDepositObject,
  type MismatchedFilter,
} from './deposits.schema.js';

const DECISION_HEAD = [
  'id',
  'kind',
  'since',
  'sentence',
  'amount_decimal',
  'token',
  'network',
  'merchant_id',
  'merchant_name',
  'deposit_id',
  'payment_intent_id',
] as const satisfies readonly (keyof DecisionObject)[];

const MISMATCHED_HEAD = [
  'id',
  'seen_at',
  'status',
  'reason',
  'explanation',
  'amount_decimal',
  'token',
  'network',
  'address',
  'tx_hash',
  'merchant_id',
  'payment_intent_id',
] as const satisfies readonly (keyof MismatchedDepositObject)[];

/** Exports what waits for a decision, and deposits that did not pay as asked. */
@EnvironmentController()
@RequirePermission('deposits.read')
export class DepositsExportController {
  constructor(
    private readonly database: Database,
    private readonly queue: DecisionQueue,
    private readonly mismatched: MismatchedDeposits,
  ) {}

  @Get('decisions.csv')
  @ApiOperationDocs({
    operationId: 'exportDecisions',
    summary: 'Export what waits for a decision as CSV',
    description: 'All of one kind, the oldest first, 50,000 at most. Times are UTC.',
    tag: 'Decisions',
    success: { description: 'The file.' },
  })
  async exportDecisions(
    @CurrentStaff() staff: StaffCaller,
    @Query({ schema: exportDecisionsQuery }) { kind }: DecisionFilter,
  ): Promise<StreamableFile> {
    const { environment } = staff;
    await recordExport(this.database, staff, { action: 'decisions.export', filter: { kind } });
    const batches = pageBatches(EXPORTED_MAX, (limit, after) =>
      this.queue.page(environment, { kind, limit, starting_after: after }),
    );
    const lines = csvLines(DECISION_HEAD, batches, (decision) => {
      const shown = presentDecision(environment, decision);
      return DECISION_HEAD.map((name): CsvCell => shown[name]);
    });
    return csvAnswer(`decisions-${kind}-${environment}`, lines);
  }

  @Get('deposits.csv')
  @ApiOperationDocs({
    operationId: 'exportMismatchedDeposits',
    summary: 'Export deposits that did not pay as asked as CSV',
    description: 'The deposits of the filter, newest first, 50,000 at most. Times are UTC.',
    tag: 'Deposits',
    success: { description: 'The file.' },
  })
  async exportMismatched(
    @CurrentStaff() staff: StaffCaller,
    @Query({ schema: exportMismatchedQuery })
    { network, late_acknowledged: lateAcknowledged }: MismatchedFilter,
  ): Promise<StreamableFile> {
    const { environment } = staff;
    const asked = { network, late_acknowledged: lateAcknowledged };
    await recordExport(this.database, staff, { action: 'deposits.export', filter: asked });
    const filter = { environment, network: network ?? null, lateAcknowledged };
    const batches = pageBatches(EXPORTED_MAX, (limit, after) =>
      this.mismatched.page({ ...filter, limit: limit + 1, after: after ?? null }),
    );
    const lines = csvLines(MISMATCHED_HEAD, batches, (deposit) => {
      const shown = presentMismatched(deposit);
      return MISMATCHED_HEAD.map((name): CsvCell => shown[name]);
    });
    return csvAnswer(`mismatched-deposits-${environment}`, lines);
  }
}
