import { Body, HttpCode, Param, Post } from '@nestjs/common';
import { DomainError } from '../../domain/errors.js';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import type { StaffOrder } from '../../platform/audit-trail.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { UnrecordedMarksReader } from '../../recovery/unrecorded-marks.service.js';
import { actorOf, CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { DepositOperations } from '../../suspense/deposit-operations.service.js';
import { RefundOperations } from '../../suspense/refunds/refund-operations.service.js';
import { StaffDepositReader } from '../../suspense/staff-deposit-reader.service.js';
import type { InformedOrder } from '../../treasury/transactions/unrecorded-payments.js';
import { EnvironmentController } from '../environment-controller.js';
import { type ReasonBody, reasonBody } from '../reason-body.js';
import { presentStaffDeposit } from './deposits.presenter.js';
import {
  type CreditDepositBody,
  creditDepositBody,
  type RefundDepositBody,
  refundDepositBody,
  type StaffDepositObject,
  staffDepositSchema,
} from './deposits.schema.js';

const TAG = 'Deposits';
const request = { example: { reason: 'The merchant confirmed it.' } };
const success = { description: 'The deposit after the decision.', schema: staffDepositSchema };

/** What staff decide about a deposit. */
@EnvironmentController('deposits/:id')
@RequirePermission('deposits.read')
export class DepositActionsController {
  constructor(
    private readonly database: Database,
    private readonly deposits: StaffDepositReader,
    private readonly operations: DepositOperations,
    private readonly refunds: RefundOperations,
    private readonly unrecorded: UnrecordedMarksReader,
  ) {}

  @Post('credit')
  @RequirePermission('deposits.credit')
  @HttpCode(200)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'creditDeposit',
    summary: 'Credit an unattributed deposit to a merchant',
    description:
      "To the merchant's pocket in this token, which is created if it is missing. Booked once, and not to be undone. If the " +
      'address was given to a merchant, only that one can be credited.',
    tag: TAG,
    request: { example: { merchant_id: 'mer_01jqzk8v6m3n5p7r9t1w2x4y6z', reason: 'Paid in USDT by mistake.' } },
    success,
  })
  credit(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: creditDepositBody }) { merchant_id: merchantId, reason }: CreditDepositBody,
  ): Promise<StaffDepositObject> {
    return this.informed(staff, id, reason, (tx, order) => this.operations.resolve(tx, id, { merchantId }, order));
  }

  @Post('refund')
  @RequirePermission('deposits.refund')
  @HttpCode(200)
  @ApiErrors('invalid_state_transition', 'address_network_mismatch', 'address_blocked', 'network_unavailable')
  @ApiOperationDocs({
    operationId: 'refundDeposit',
    summary: 'Refund an unattributed deposit to an address',
    description:
      'The hot wallet sends the whole deposit; we pay the network fee. An open vault signs it within a second. Exchanges do ' +
      'not credit what is sent back to the address that they paid from: ask the payer for one.',
    tag: TAG,
    request: {
      example: { address: '0x8ba1f109551bD432803012645Ac136ddd64DBA72', reason: 'The payer asked for it back.' },
    },
    success,
  })
  refund(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: refundDepositBody }) { address, reason }: RefundDepositBody,
  ): Promise<StaffDepositObject> {
    return this.informed(staff, id, reason, (tx, order) =>
      this.refunds.order(tx, id, address, { ...order, isAgain: false }),
    );
  }

  @Post('cancel-refund')
  @RequirePermission('refunds.cancel')
  @HttpCode(200)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'cancelRefund',
    summary: 'Cancel a refund that was never signed',
    description: 'The deposit is in suspense again at once.',
    tag: TAG,
    request: { example: { reason: 'The payer named another address.' } },
    success,
  })
  async cancelRefund(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: reasonBody }) { reason }: ReasonBody,
  ): Promise<StaffDepositObject> {
    const { refund } = await this.deposits.get(staff.environment, id);
    if (refund === null) throw new DomainError('invalid_state_transition', 'No refund of this deposit was ordered.');
    return this.informed(staff, id, reason, (tx, { unknown, ...order }) =>
      this.refunds.cancel(tx, refund.view.id, order, unknown),
    );
  }

  @Post('release')
  @RequirePermission('deposits.release')
  @HttpCode(200)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'releaseDeposit',
    summary: 'Release a deposit that is on hold',
    description:
      "To the pocket of its intent's merchant, or to suspense when it is unattributed. An open intent counts it, and may " +
      'complete. It cannot be undone.',
    tag: TAG,
    request,
    success,
  })
  release(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: reasonBody }) { reason }: ReasonBody,
  ): Promise<StaffDepositObject> {
    return this.decided(staff, id, reason, (tx, order) => this.operations.release(tx, id, order));
  }

  @Post('keep')
  @RequirePermission('deposits.keep')
  @HttpCode(200)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'keepDeposit',
    summary: 'Keep a deposit on hold',
    description: 'It stays on hold, and its intent no longer waits for it. An administrator can still release it.',
    tag: TAG,
    request,
    success,
  })
  keep(
    @CurrentStaff() staff: StaffCaller,
    @Param('id') id: string,
    @Body({ schema: reasonBody }) { reason }: ReasonBody,
  ): Promise<StaffDepositObject> {
    return this.decided(staff, id, reason, (tx, order) => this.operations.keep(tx, id, order));
  }

  /** Decides after the chain was asked, outside of the transaction, whether the deposit may be paid out already. */
  private async informed(
    staff: StaffCaller,
    id: string,
    reason: string,
    decide: (tx: Tx, order: InformedOrder) => Promise<unknown>,
  ): Promise<StaffDepositObject> {
    const { chainRef } = await this.deposits.get(staff.environment, id);
    const unknown = await this.unrecorded.soonOf((chain) => chain.chainRef === chainRef);
    return this.decided(staff, id, reason, (tx, order) => decide(tx, { ...order, unknown }));
  }

  private async decided(
    staff: StaffCaller,
    id: string,
    reason: string,
    decide: (tx: Tx, order: StaffOrder) => Promise<unknown>,
  ): Promise<StaffDepositObject> {
    await this.deposits.get(staff.environment, id);
    const order = { ...actorOf(staff), reason };
    await this.database.transaction((tx) => decide(tx, order));
    return presentStaffDeposit(await this.deposits.get(staff.environment, id));
  }
}
