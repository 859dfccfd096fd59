import { Injectable } from '@nestjs/common';
import { DomainError, notFound } from '../../domain/errors.js';
import { parseEvmAddress } from '../../domain/evm-address.js';
import { formatUnits } from '../../domain/money.js';
import { recordAction, type StaffOrder } from '../../platform/audit-trail.js';
import { type Tx, sql, sqlOne } from '../../platform/database/database.js';
import { detached } from '../../platform/database/detached.js';
import { similarDestinations } from './similar-destinations.js';
import { IS_APPROVED } from './withdrawal-rules.sql.js';
import { WithdrawalApproval } from './withdrawal-approval.entity.js';
import { Withdrawal } from '../withdrawal.entity.js';

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
   * another destination than it shows
   */
  async approve(tx: Tx, id: string, staff: StaffOrder, isLookAlikeChecked: boolean): Promise<ApprovedWithdrawal> {
    const withdrawal = await lockOpen(tx, id);
    const { chainRef, network, environment, token, tokenContract, tokenDecimals, amount, destination } = withdrawal;
    const money = `${formatUnits(amount, tokenDecimals)} ${token} on ${network} (${environment})`;
    const before = await approvalOf(tx, id);
    if (before !== null) return { money, destination, ...before, isNew: false };
    // Operators read one column, and the vault pays another.
    if (parseEvmAddress(destination)?.lower !== withdrawal.destinationKey)
      throw refusal(
        `It shows ${destination} and would pay ${withdrawal.destinationKey}: the row was changed outside of the service. ` +
          'Cancel it, and find out who changed it.',
      );
    const similar = isLookAlikeChecked ? [] : await similarDestinations(tx, withdrawal);
    if (similar.length > 0) {
      throw refusal(
        `It pays ${destination}, which looks like ${similar.join(', ')}, and is another address. Compare every character ` +
          'with the address that the merchant confirms, and then pass --look-alike-checked; or cancel it.',
      );
    }
    const { actor } = staff;
    const details = { money, to: destination };
    await recordAction(tx, { ...staff, action: 'withdrawal.approve', subject: id, details });
    const row = await sqlOne<Record<string, unknown>>(
      tx,
      `insert into withdrawal_approval (withdrawal_id, chain_ref, token_contract, amount, destination_key, approved_by)
       values ($1, $2, $3, $4, $5, $6) returning *`,
      [id, chainRef, tokenContract, amount.toString(), withdrawal.destinationKey, actor],
    );
    const { approvedAt } = detached(tx, WithdrawalApproval, row);
    return { money, destination, approvedBy: actor, approvedAt, isNew: true };
  }
}

async function lockOpen(tx: Tx, id: string): Promise<Withdrawal> {
  const [row] = await sql<Record<string, unknown>>(tx, `select * from withdrawal where id = $1 for no key update`, [
    id,
  ]);
  if (row === undefined) throw notFound('withdrawal');
  const withdrawal = detached(tx, Withdrawal, row);
  if (withdrawal.status !== 'broadcasting') throw refusal(`The withdrawal is already ${withdrawal.status}.`);
  if (withdrawal.signedAt !== null) throw refusal('It is signed already: there is nothing left to approve.');
  return withdrawal;
}

/** Returns its approval, or null without one. @throws DomainError when the approval is about other terms */
async function approvalOf(tx: Tx, id: string): Promise<Pick<ApprovedWithdrawal, 'approvedBy' | 'approvedAt'> | null> {
  const [row] = await sql<Record<string, unknown> & { is_approved: boolean }>(
    tx,
    `select given.*, ${IS_APPROVED} as is_approved
       from withdrawal_approval given join withdrawal on withdrawal.id = given.withdrawal_id where withdrawal.id = $1`,
    [id],
  );
  if (row === undefined) return null;
  if (!row.is_approved) {
    throw refusal(
      'Its approval is about other terms: a row was changed outside of the service. Cancel it, and find out who changed it.',
    );
  }
  const { approvedBy, approvedAt } = detached(tx, WithdrawalApproval, row);
  return { approvedBy, approvedAt };
}

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);
