import { Get, Param, Query } from '@nestjs/common';
import { MismatchedDeposits } from '../../explain/mismatched-deposits.service.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { StaffDepositReader } from '../../suspense/staff-deposit-reader.service.js';
import { EnvironmentController } from '../environment-controller.js';
import { presentMismatched, presentStaffDeposit } from './deposits.presenter.js';
import {
  type ListMismatchedQuery,
  listMismatchedQuery,
  type MismatchedDepositObject,
  mismatchedListSchema,
  type StaffDepositObject,
  staffDepositSchema,
} from './deposits.schema.js';

const TAG = 'Deposits';

/** Deposits that did not pay an intent as it asked, and any deposit by its id. */
@EnvironmentController('deposits')
@RequirePermission('deposits.read')
export class DepositsController {
  constructor(
    private readonly mismatched: MismatchedDeposits,
    private readonly deposits: StaffDepositReader,
  ) {}

  @Get()
  @ApiOperationDocs({
    operationId: 'listMismatchedDeposits',
    summary: 'List deposits that did not pay as asked',
    description:
      'In another token, on another network, to an address without an intent, or after the end of the intent; whatever became ' +
      'of them. Those that a reorg removed are left out.',
    tag: TAG,
    success: { description: 'One page, newest first.', schema: mismatchedListSchema },
  })
  async list(
    @CurrentStaff() { environment }: StaffCaller,
    @Query({ schema: listMismatchedQuery })
    { limit, network, late_acknowledged: lateAcknowledged, starting_after: after }: ListMismatchedQuery,
  ): Promise<ListPage<MismatchedDepositObject>> {
    const filter = { environment, network: network ?? null, lateAcknowledged };
    const found = await this.mismatched.page({ ...filter, limit: limit + 1, after: after ?? null });
    return listPage(found.map(presentMismatched), limit);
  }

  @Get(':id')
  @ApiOperationDocs({
    operationId: 'getStaffDeposit',
    summary: 'Retrieve a deposit',
    description: 'With where its money is, what can be done, its refund, and every decision about it.',
    tag: TAG,
    success: { description: 'The deposit as it stands.', schema: staffDepositSchema },
  })
  async get(@CurrentStaff() { environment }: StaffCaller, @Param('id') id: string): Promise<StaffDepositObject> {
    return presentStaffDeposit(await this.deposits.get(environment, id));
  }
}
