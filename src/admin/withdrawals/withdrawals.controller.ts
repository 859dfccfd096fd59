import { Get, Param, Query } from '@nestjs/common';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import {
  type ListStaffWithdrawalsQuery,
  listStaffWithdrawalsQuery,
} from '../../withdrawals/staff-withdrawal.schema.js';
import { StaffWithdrawals } from '../../withdrawals/staff-withdrawals.service.js';
import { EnvironmentController } from '../environment-controller.js';
import { presentStaffWithdrawal, presentWithdrawalDetail } from './withdrawals.presenter.js';
import {
  type StaffWithdrawalDetailObject,
  staffWithdrawalDetailSchema,
  staffWithdrawalListSchema,
  type StaffWithdrawalObject,
} from './withdrawals.schema.js';

const TAG = 'Withdrawals';

/** The withdrawals of all merchants. */
@EnvironmentController('withdrawals')
export class WithdrawalsController {
  constructor(private readonly withdrawals: StaffWithdrawals) {}

  @Get()
  @RequirePermission('withdrawals.read')
  @ApiOperationDocs({
    operationId: 'listStaffWithdrawals',
    summary: 'List withdrawals',
    tag: TAG,
    success: { description: 'One page, newest first.', schema: staffWithdrawalListSchema },
  })
  async list(
    @CurrentStaff() { environment }: StaffCaller,
    @Query({ schema: listStaffWithdrawalsQuery }) query: ListStaffWithdrawalsQuery,
  ): Promise<ListPage<StaffWithdrawalObject>> {
    const found = await this.withdrawals.list(environment, query);
    return listPage(found.map(presentStaffWithdrawal), query.limit);
  }

  @Get(':id')
  @RequirePermission('withdrawals.read')
  @ApiOperationDocs({
    operationId: 'getStaffWithdrawal',
    summary: 'Retrieve a withdrawal',
    description: 'With the reason for which it waits, what can be done, its transaction, and every decision about it.',
    tag: TAG,
    success: { description: 'The withdrawal as it stands.', schema: staffWithdrawalDetailSchema },
  })
  async get(
    @CurrentStaff() { environment }: StaffCaller,
    @Param('id') id: string,
  ): Promise<StaffWithdrawalDetailObject> {
    return presentWithdrawalDetail(await this.withdrawals.get(environment, id));
  }
}
