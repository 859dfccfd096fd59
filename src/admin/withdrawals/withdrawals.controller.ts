import { Get, Param } from '@nestjs/common';
import { notFound } from '../../domain/errors.js';
import { formatUnits } from '../../domain/money.js';
import { standingText } from '../../domain/outgoing-payment.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { type WithdrawalDetails, WithdrawalDetailsReader } from '../../withdrawals/withdrawal-details.service.js';
import { presentWithdrawal } from '../../withdrawals/withdrawal.presenter.js';
import { EnvironmentController } from '../environment-controller.js';
import { commandsFor } from './withdrawal-commands.js';
import { type StaffWithdrawalObject, staffWithdrawalSchema } from './withdrawals.schema.js';

/** The withdrawals of all merchants. */
@EnvironmentController('withdrawals')
export class WithdrawalsController {
  constructor(private readonly details: WithdrawalDetailsReader) {}

  @Get(':id')
  @RequirePermission('withdrawals.read')
  @ApiOperationDocs({
    operationId: 'getStaffWithdrawal',
    summary: 'Retrieve a withdrawal',
    description: 'With the reason for which it waits.',
    tag: 'Withdrawals',
    success: { description: 'The withdrawal as it stands.', schema: staffWithdrawalSchema },
  })
  async get(@CurrentStaff() { environment }: StaffCaller, @Param('id') id: string): Promise<StaffWithdrawalObject> {
    const details = await this.details.of(id);
    if (details.withdrawal.environment !== environment) throw notFound('withdrawal');
    return present(details);
  }
}

function present({ withdrawal, standing, newUntil }: WithdrawalDetails): StaffWithdrawalObject {
  return {
    ...presentWithdrawal(withdrawal),
    amount_decimal: formatUnits(withdrawal.amount, withdrawal.tokenDecimals),
    sentence: standing === null ? endingOf(withdrawal) : standingText(standing, newUntil),
    commands: commandsFor(standing, withdrawal),
  };
}

function endingOf({ status, failureMessage }: WithdrawalDetails['withdrawal']): string {
  if (status === 'completed') return 'It is paid, and the payment is final.';
  return failureMessage ?? `It is ${status}.`;
}
