import { Get, Param, Query } from '@nestjs/common';
import { BooksProofs } from '../../auditor/books-proof.service.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import {
  type ListPocketsQuery,
  listPocketsQuery,
  type PocketEntryObject,
  pocketEntryListSchema,
} from '../../ledger/pocket.schema.js';
import { type ListStaffPocketsQuery, listStaffPocketsQuery } from '../../ledger/staff-pocket.schema.js';
import { StaffPockets } from '../../ledger/staff-pockets.service.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { EnvironmentController } from '../environment-controller.js';
import { presentProof, presentStaffPocket } from './pockets.presenter.js';
import {
  type StaffPocketDetailObject,
  staffPocketDetailSchema,
  staffPocketListSchema,
  type StaffPocketObject,
} from './pockets.schema.js';

const TAG = 'Pockets';

/** The pockets of all merchants. */
@EnvironmentController('pockets')
export class PocketsController {
  constructor(
    private readonly pockets: StaffPockets,
    private readonly proofs: BooksProofs,
  ) {}

  @Get()
  @RequirePermission('pockets.read')
  @ApiOperationDocs({
    operationId: 'listStaffPockets',
    summary: 'List pockets',
    tag: TAG,
    success: { description: 'One page, newest first.', schema: staffPocketListSchema },
  })
  async list(
    @CurrentStaff() { environment }: StaffCaller,
    @Query({ schema: listStaffPocketsQuery }) query: ListStaffPocketsQuery,
  ): Promise<ListPage<StaffPocketObject>> {
    const found = await this.pockets.list(environment, query);
    return listPage(found.map(presentStaffPocket), query.limit);
  }

  @Get(':id')
  @RequirePermission('pockets.read')
  @ApiOperationDocs({
    operationId: 'getStaffPocket',
    summary: 'Retrieve a pocket',
    description: 'With the last audits of the books.',
    tag: TAG,
    success: { description: 'The pocket as it stands.', schema: staffPocketDetailSchema },
  })
  async get(@CurrentStaff() { environment }: StaffCaller, @Param('id') id: string): Promise<StaffPocketDetailObject> {
    const pocket = await this.pockets.get(environment, id);
    const proofs = await this.proofs.latest(environment, [`pocket ${pocket.id}`]);
    return { ...presentStaffPocket(pocket), proofs: proofs.map(presentProof) };
  }

  @Get(':id/entries')
  @RequirePermission('pockets.read')
  @ApiOperationDocs({
    operationId: 'listStaffPocketEntries',
    summary: 'List the entries of a pocket',
    description: 'Every booking on its available balance, with the intent or the withdrawal behind it.',
    tag: TAG,
    success: { description: 'One page, newest first.', schema: pocketEntryListSchema },
  })
  entries(
    @CurrentStaff() { environment }: StaffCaller,
    @Param('id') id: string,
    @Query({ schema: listPocketsQuery }) query: ListPocketsQuery,
  ): Promise<ListPage<PocketEntryObject>> {
    return this.pockets.entries(environment, id, query);
  }
}
