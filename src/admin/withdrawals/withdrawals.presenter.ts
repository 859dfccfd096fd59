import { formatUnits } from '../../domain/money.js';
import { isHeldByRule, type Standing, standingText } from '../../domain/outgoing-payment.js';
import type { StaffWithdrawal, StaffWithdrawalDetails } from '../../withdrawals/staff-withdrawals.service.js';
import { presentWithdrawal } from '../../withdrawals/withdrawal.presenter.js';
import { presentProgress } from './payment-progress.presenter.js';
import { presentFreeze } from './signing.presenter.js';
import { commandsFor, offerFor } from './withdrawal-offers.js';
import type { StaffWithdrawalDetailObject, StaffWithdrawalObject } from './withdrawals.schema.js';

/** A withdrawal in the list of staff. */
export function presentStaffWithdrawal(one: StaffWithdrawal): StaffWithdrawalObject {
  const { withdrawal, merchantName, standing, waitsFor } = one;
  return {
    ...presentWithdrawal(withdrawal),
    merchant_name: merchantName,
    amount_decimal: formatUnits(withdrawal.amount, withdrawal.tokenDecimals),
    standing,
    waits_for: waitsFor,
    sentence: standing === null ? endingOf(withdrawal) : `${standingText(standing, null)}${approverOf(standing)}`,
  };
}

/** Everything that staff see of a withdrawal. */
export function presentWithdrawalDetail(details: StaffWithdrawalDetails): StaffWithdrawalDetailObject {
  const { withdrawal, standing, newUntil, approval, frozen, similar, sweeps } = details;
  const { tokenDecimals: decimals } = withdrawal;
  const waits = isHeldByRule(standing);
  return {
    ...presentStaffWithdrawal(details),
    ...(standing !== null && { sentence: `${standingText(standing, newUntil)}${approverOf(standing, ' here')}` }),
    ...(withdrawal.status === 'failed' && { sentence: failureOf(details) }),
    ...(waits && approval !== null && { sentence: approvedText(approval) }),
    fee_decimal: formatUnits(withdrawal.feeAmount, decimals),
    offer: approval === null || !waits ? offerFor(standing) : null,
    can_cancel: withdrawal.status === 'broadcasting' && withdrawal.signedAt === null,
    commands: commandsFor(standing, withdrawal),
    similar_destinations: [...similar],
    approval: approval && { approved_by: approval.approvedBy, approved_at: approval.approvedAt.toISOString() },
    frozen: { network: frozen.network, merchant: frozen.merchant, freezes: frozen.freezes.map(presentFreeze) },
    sweeps: sweeps.map(({ id, expected, progress }) => ({
      id,
      expected_decimal: formatUnits(expected, decimals),
      progress,
    })),
    ...presentProgress(details),
  };
}

/** Who must or can approve what waits by a rule of the merchant; empty where nothing waits for an approval. */
function approverOf(standing: Standing, place = ''): string {
  if (standing === 'approval_missing') return ` An administrator must approve it${place}.`;
  return standing === 'new_destination' ? ` An administrator can approve it${place}.` : '';
}

const approvedText = ({ approvedBy, approvedAt }: NonNullable<StaffWithdrawalDetails['approval']>): string =>
  `It was approved by ${approvedBy} at ${approvedAt.toISOString()}. An open vault signs it within seconds.`;

function endingOf({ status, failureCode, failureMessage }: StaffWithdrawal['withdrawal']): string {
  if (status === 'completed') return 'It is paid, and the payment is final.';
  if (failureCode === 'cancelled') return 'Staff cancelled it before it was paid.';
  return failureMessage ?? `It is ${status}.`;
}

/** How a failed one ended, and where its money is by the books. */
function failureOf({ withdrawal, returned, verdicts }: StaffWithdrawalDetails): string {
  const { failureCode, token, tokenDecimals } = withdrawal;
  const by = verdicts.findLast(({ what }) => what === 'withdrawal.cancel')?.who;
  const isCancelled = failureCode === 'cancelled' && by !== undefined;
  const ending = isCancelled ? `It was cancelled by ${by} before it was paid.` : endingOf(withdrawal);
  if (returned === null) return `${ending} The books have returned nothing to the pocket.`;
  return `${ending} ${formatUnits(returned, tokenDecimals)} ${token}, its amount and fee, went back to the pocket.`;
}
