import { Get, Query, type StreamableFile } from '@nestjs/common';
import type { AuditPlace } from '../../audit-log/audit-page.sql.js';
import { AuditReader } from '../../audit-log/audit-reader.service.js';
import { BooksProofs } from '../../auditor/books-proof.service.js';
import { csvLines } from '../../http/csv.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { Database } from '../../platform/database/database.js';
import { ConsoleSite } from '../../staff/console-site.service.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { csvAnswer, EXPORTED_MAX } from '../csv-answer.js';
import { EnvironmentController } from '../environment-controller.js';
import { recordExport } from '../export-record.js';
import { AUDIT_HEAD, auditCells, presentAction, presentSeal } from './audit.presenter.js';
import {
  type AuditEntryObject,
  auditListSchema,
  type AuditSealObject,
  auditSealSchema,
  type ExportAuditQuery,
  exportAuditQuery,
  type ListAuditQuery,
  listAuditQuery,
} from './audit.schema.js';

const TAG = 'Audit';

/** What staff did in an environment, and what was done outside of both by commands and sign-ins. */
@EnvironmentController()
@RequirePermission('audit.read')
export class AuditAdminController {
  constructor(
    private readonly database: Database,
    private readonly reader: AuditReader,
    private readonly proofs: BooksProofs,
    private readonly site: ConsoleSite,
  ) {}

  @Get('audit')
  @ApiOperationDocs({
    operationId: 'listAuditEntries',
    summary: 'List what staff and operators did',
    description:
      'Actions in this environment and, for administrators of live, those outside of both: commands and sign-ins.',
    tag: TAG,
    success: { description: 'One page, newest first.', schema: auditListSchema },
  })
  async list(
    @CurrentStaff() staff: StaffCaller,
    @Query({ schema: listAuditQuery }) { limit, starting_after: after, place, ...filter }: ListAuditQuery,
  ): Promise<ListPage<AuditEntryObject>> {
    const found = await this.reader.page(await this.placesOf(staff, place), filter, { limit, after });
    return listPage(found.map(presentAction), limit);
  }

  @Get('audit.csv')
  @ApiOperationDocs({
    operationId: 'exportAuditEntries',
    summary: 'Export the audit log as CSV',
    description:
      'The entries of the filter, newest first, 50,000 at most. Times are UTC. The export has an entry itself.',
    tag: TAG,
    success: { description: 'The file.' },
  })
  async export(
    @CurrentStaff() staff: StaffCaller,
    @Query({ schema: exportAuditQuery }) { place, ...filter }: ExportAuditQuery,
  ): Promise<StreamableFile> {
    const { environment } = staff;
    await recordExport(this.database, staff, { action: 'audit.export', filter: { place, ...filter } });
    const batches = this.reader.batches(await this.placesOf(staff, place), filter, EXPORTED_MAX);
    return csvAnswer(`audit-${environment}`, csvLines(AUDIT_HEAD, batches, auditCells));
  }

  @Get('audit-seal')
  @ApiOperationDocs({
    operationId: 'getAuditSeal',
    summary: 'Say whether the hash chain over the audit log holds',
    description: 'The result of the last audit of the books.',
    tag: TAG,
    success: { description: 'The result.', schema: auditSealSchema },
  })
  async seal(): Promise<AuditSealObject> {
    return presentSeal(await this.proofs.actionChain());
  }

  /** Commands and sign-ins concern live too, so a role in sandbox alone does not show them where there is a live network. */
  private async placesOf({ environment }: StaffCaller, place: ListAuditQuery['place']): Promise<readonly AuditPlace[]> {
    const seesOutside = environment === 'live' || !(await this.site.hasLive());
    return [...(place === 'outside' ? [] : [environment]), ...(place === 'environment' || !seesOutside ? [] : [null])];
  }
}
