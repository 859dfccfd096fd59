import type { Withdrawal } from './withdrawal.entity.js';
import type { WithdrawalObject } from './withdrawal.schema.js';

/** What the API shows of a withdrawal. */
export type PresentedWithdrawal = Pick<
  Withdrawal,
  | 'id'
  | 'merchantId'
  | 'environment'
  | 'status'
  | 'pocketId'
  | 'network'
  | 'token'
  | 'amountCents'
  | 'networkFeeCents'
  | 'destination'
  | 'feeStrategy'
  | 'txHash'
  | 'reference'
  | 'failureCode'
  | 'failureMessage'
  | 'createdAt'
  | 'updatedAt'
  | 'completedAt'
>;

/** The withdrawal as the API and the events show it. */
export function presentWithdrawal(withdrawal: PresentedWithdrawal): WithdrawalObject {
  return {
    id: withdrawal.id,
    object: 'withdrawal',
    merchant_id: withdrawal.merchantId,
    environment: withdrawal.environment,
    status: withdrawal.status,
    pocket_id: withdrawal.pocketId,
    network: withdrawal.network,
    token: withdrawal.token,
    amount_cents: withdrawal.amountCents,
    network_fee_cents: withdrawal.networkFeeCents,
    destination: withdrawal.destination,
    fee_strategy: withdrawal.feeStrategy,
    tx_hash: withdrawal.txHash,
    reference: withdrawal.reference,
    failure_code: withdrawal.failureCode,
    failure_message: withdrawal.failureMessage,
    created_at: withdrawal.createdAt.toISOString(),
    updated_at: withdrawal.updatedAt.toISOString(),
    completed_at: withdrawal.completedAt?.toISOString() ?? null,
  };
}
