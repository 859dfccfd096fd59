import { Get, Param, type StreamableFile } from '@nestjs/common';
import { csvLines } from '../../http/csv.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { StaffPockets } from '../../ledger/staff-pockets.service.js';
import { Database } from '../../platform/database/database.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { csvAnswer, EXPORTED_MAX } from '../csv-answer.js';
import { EnvironmentController } from '../environment-controller.js';
import { recordExport } from '../export-record.js';

const HEAD = [
  'id',
  'kind',
  'amount',
  'smallest_units',
  'payment_intent_id',
  'withdrawal_id',
  'reference',
  'created_at',
];

/** Exports the entries of a pocket. */
@EnvironmentController('pockets')
export class EntriesExportController {
  constructor(
    private readonly database: Database,
    private readonly pockets: StaffPockets,
  ) {}

  @Get(':id/entries.csv')
  @RequirePermission('pockets.read')
  @ApiOperationDocs({
    operationId: 'exportPocketEntries',
    summary: 'Export the entries of a pocket as CSV',
    description: 'Newest first, 50,000 at most. Times are UTC.',
    tag: 'Pockets',
    success: { description: 'The file.' },
  })
  async export(@CurrentStaff() staff: StaffCaller, @Param('id') id: string): Promise<StreamableFile> {
    const { environment } = staff;
    // Before the answer begins: afterwards it could not become an error.
    await this.pockets.get(environment, id);
    await recordExport(this.database, staff, { action: 'pocket_entries.export', subject: id });
    const batches = this.pockets.entryBatches(environment, id, EXPORTED_MAX);
    const lines = csvLines(HEAD, batches, (entry) => [
      entry.id,
      entry.kind,
      entry.amount_decimal,
      entry.amount,
      entry.payment_intent_id,
      entry.withdrawal_id,
      entry.reference,
      new Date(entry.created_at),
    ]);
    return csvAnswer(`entries-${id}`, lines);
  }
}
