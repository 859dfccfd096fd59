import { Injectable } from '@nestjs/common';
import { type Confirmation, DomainError, notFound } from '../../domain/errors.js';
import { addressKeyOf } from '../../domain/address-form.js';
import { formatUnits } from '../../domain/money.js';
import { recordAction, type StaffOrder } from '../../platform/audit-trail.js';
import { rows, type Tx } from '../../platform/database/database.js';
import { AuditEntry } from '../../platform/audit-entry.entity.js';
import { entityOf } from '../../platform/database/entity-of.js';
import { alreadyEnded } from '../already-ended.js';
import { similarDestinations } from './similar-destinations.js';
import { WithdrawalApproval } from './withdrawal-approval.entity.js';
import { findApproval } from './withdrawal-approvals.sql.js';
import { Withdrawal } from '../withdrawal.entity.js';
import { lockWithdrawal } from '../withdrawals.sql.js';

/** An approved withdrawal. */
export interface ApprovedWithdrawal {
  /** The amount in words, such as `25 USDC on polygon (live)`. */
  readonly money: string;
  /** Whole, with its checksum. */
  readonly destination: string;
  readonly approvedBy: string;
  readonly approvedAt: Date;
  /** False when it was approved before. */
  readonly isNew: boolean;
}

/** Records operators' approvals of withdrawals that the vault does not sign without one. */
@Injectable()
export class WithdrawalApprovals {
  /**
   * Approves the terms that a withdrawal has now. A vault that is about to sign it waits for this transaction and checks
   * again within a second; a cancellation waits as well. A second approval changes nothing.
   * @param isLookAlikeChecked The operator has compared the destination with those that look like it
   * @throws DomainError not_found; invalid_state_transition when it is signed or has ended, looks like another, or pays
   * another destination than it shows, or when the approver issued the API key that ordered it
   */
  async approve(tx: Tx, id: string, staff: StaffOrder, isLookAlikeChecked: boolean): Promise<ApprovedWithdrawal> {
    const withdrawal = await lockOpen(tx, id);
    const { chainRef, network, environment, token, tokenContract, tokenDecimals, amount, destination } = withdrawal;
    const money = `${formatUnits(amount, tokenDecimals)} ${token} on ${network} (${environment})`;
    const before = await approvalOf(tx, id);
    if (before !== null) return { money, destination, ...before, isNew: false };
    // Operators read one column, and the vault pays another.
    if (addressKeyOf(destination)?.key !== withdrawal.destinationKey)
      throw refusal(
        `It shows ${destination} and would pay ${withdrawal.destinationKey}: the row was changed outside of the service. ` +
          'Cancel it, and find out who changed it.',
      );
    const similar = isLookAlikeChecked ? [] : await similarDestinations(tx, withdrawal);
    if (similar.length > 0) {
      throw refusal(
        `It pays ${destination}, which looks like ${similar.join(', ')}, and is another address. Compare every character ` +
          'with the address that the merchant confirms, and then confirm that you have; or cancel it.',
        'look_alike_checked',
      );
    }
    const { actor } = staff;
    const orderedBy = await issuerOf(tx, withdrawal);
    if (orderedBy === actor)
      throw refusal('You issued the API key that ordered it: another member of staff must approve it.');
    const details = { money, to: destination };
    await recordAction(tx, { ...staff, action: 'withdrawal.approve', subject: id, details });
    const { destinationKey } = withdrawal;
    const terms = { chainRef, tokenContract, amount, destinationKey } satisfies Partial<WithdrawalApproval>;
    const approval = tx.create(WithdrawalApproval, { withdrawalId: id, ...terms, orderedBy, approvedBy: actor });
    await tx.flush();
    return { money, destination, approvedBy: actor, approvedAt: approval.approvedAt, isNew: true };
  }
}

/** Returns the member of staff who issued the API key of a withdrawal in the console; null where a shell did. */
async function issuerOf(tx: Tx, { apiKeyId }: Withdrawal): Promise<string | null> {
  if (apiKeyId === null) return null;
  const [issue] = await tx.find(
    AuditEntry,
    { action: 'api_key.create', subject: apiKeyId, role: { $ne: null } },
    { fields: ['actor'], orderBy: { id: 'asc' }, limit: 1, disableIdentityMap: true },
  );
  return issue?.actor ?? null;
}

async function lockOpen(tx: Tx, id: string): Promise<Withdrawal> {
  const [row] = await rows(tx, lockWithdrawal(id));
  if (row === undefined) throw notFound('withdrawal');
  const withdrawal = entityOf(tx, Withdrawal, row);
  if (withdrawal.status !== 'broadcasting') throw await alreadyEnded(tx, withdrawal);
  if (withdrawal.signedAt !== null) throw refusal('It is signed already: there is nothing left to approve.');
  return withdrawal;
}

/** Returns its approval, or null without one. @throws DomainError when the approval is about other terms */
async function approvalOf(tx: Tx, id: string): Promise<Pick<ApprovedWithdrawal, 'approvedBy' | 'approvedAt'> | null> {
  const [approval] = await rows(tx, findApproval(id));
  if (approval === undefined) return null;
  if (!approval.isApproved) {
    throw refusal(
      'Its approval is about other terms: a row was changed outside of the service. Cancel it, and find out who changed it.',
    );
  }
  return { approvedBy: approval.approvedBy, approvedAt: new Date(approval.approvedAt) };
}

const refusal = (message: string, confirmation?: Confirmation): DomainError =>
  new DomainError('invalid_state_transition', message, confirmation === undefined ? {} : { confirmation });
