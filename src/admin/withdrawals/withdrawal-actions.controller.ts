import { Body, HttpCode, Param, Post } from '@nestjs/common';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { Database } from '../../platform/database/database.js';
import { UnrecordedMarksReader } from '../../recovery/unrecorded-marks.service.js';
import { actorOf, CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { WithdrawalApprovals } from '../../withdrawals/policies/withdrawal-approvals.service.js';
import { StaffWithdrawals } from '../../withdrawals/staff-withdrawals.service.js';
import { WithdrawalOperations } from '../../withdrawals/withdrawal-operations.service.js';
import { EnvironmentController } from '../environment-controller.js';
import { type ReasonBody, reasonBody } from '../reason-body.js';
import { presentWithdrawalDetail } from './withdrawals.presenter.js';
import {
  type ApproveWithdrawalBody,
  approveWithdrawalBody,
  type ApprovedWithdrawalObject,
  approvedWithdrawalSchema,
  type StaffWithdrawalDetailObject,
  staffWithdrawalDetailSchema,
} from './withdrawals.schema.js';

const TAG = 'Withdrawals';

/** What staff decide about a withdrawal. */
@EnvironmentController('withdrawals/:id')
@RequirePermission('withdrawals.read')
export class WithdrawalActionsController {
  constructor(
    private readonly database: Database,
    private readonly withdrawals: StaffWithdrawals,
    private readonly approvals: WithdrawalApprovals,
    private readonly operations: WithdrawalOperations,
    private readonly unrecorded: UnrecordedMarksReader,
  ) {}

  @Post('approve')
  @RequirePermission('withdrawals.approve')
  @HttpCode(200)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'approveWithdrawal',
    summary: 'Approve a withdrawal',
    description:
      'An open vault then signs it within a second, unless another rule forbids it. A second approval changes nothing, and ' +
      'names the first. Refused to the member who issued the API key that ordered it.',
    tag: TAG,
    request: { example: { reason: 'The merchant confirmed it by phone.' } },
    success: { description: 'The approval.', schema: approvedWithdrawalSchema },
  })
  async approve(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: approveWithdrawalBody })
    { reason, look_alike_checked: isLookAlikeChecked = false }: ApproveWithdrawalBody,
  ): Promise<ApprovedWithdrawalObject> {
    await this.withdrawals.get(staff.environment, id);
    const order = { ...actorOf(staff), reason };
    const approved = await this.database.transaction((tx) => this.approvals.approve(tx, id, order, isLookAlikeChecked));
    return {
      object: 'withdrawal_approval',
      withdrawal_id: id,
      approved_by: approved.approvedBy,
      approved_at: approved.approvedAt.toISOString(),
      already: !approved.isNew,
    };
  }

  @Post('cancel')
  @RequirePermission('withdrawals.cancel')
  @HttpCode(200)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'cancelWithdrawal',
    summary: 'Cancel a withdrawal that was never signed',
    description:
      'Its money is back in the pocket at once, and the merchant receives `withdrawal.failed`. The nodes of the network are ' +
      'asked first, for at most 5 seconds, whether it may be paid already.',
    tag: TAG,
    request: { example: { reason: 'Ordered by mistake.' } },
    success: { description: 'The failed withdrawal.', schema: staffWithdrawalDetailSchema },
  })
  async cancel(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: reasonBody }) { reason }: ReasonBody,
  ): Promise<StaffWithdrawalDetailObject> {
    const { withdrawal } = await this.withdrawals.get(staff.environment, id);
    const unknown = await this.unrecorded.soonOf(({ chainRef }) => chainRef === withdrawal.chainRef);
    const order = { ...actorOf(staff), reason };
    await this.database.transaction((tx) => this.operations.cancel(tx, id, order, unknown));
    return presentWithdrawalDetail(await this.withdrawals.get(staff.environment, id));
  }
}
