import type { Environment } from '../../domain/network.js';
import type { MismatchedDeposit } from '../../explain/mismatched-deposits.service.js';
import type { Decision } from '../../suspense/decision-queue.service.js';
import type { RefundDetails } from '../../suspense/refunds/refund-reader.service.js';
import { REFUND_FAILURES, REFUND_STANDINGS } from '../../suspense/refunds/refund-standing.js';
import type { StaffDepositDetails } from '../../suspense/staff-deposit-reader.service.js';
import { presentProgress, presentVerdict } from '../withdrawals/payment-progress.presenter.js';
import type { DecisionObject, MismatchedDepositObject, StaffDepositObject } from './deposits.schema.js';

/** Something that waits for a decision. */
export const presentDecision = (environment: Environment, decision: Decision): DecisionObject => ({
  id: decision.id,
  object: 'decision',
  kind: decision.kind,
  environment,
  since: decision.since,
  deposit_id: decision.depositId,
  payment_intent_id: decision.intentId,
  merchant_id: decision.merchantId,
  merchant_name: decision.merchantName,
  network: decision.network,
  token: decision.token,
  amount_decimal: decision.amountDecimal,
  sentence: sentenceOf(decision.sentence),
});

/** A deposit that did not pay as asked. */
export const presentMismatched = (deposit: MismatchedDeposit): MismatchedDepositObject => ({
  id: deposit.id,
  object: 'deposit',
  environment: deposit.environment,
  network: deposit.network,
  token: deposit.token,
  amount_decimal: deposit.amountDecimal,
  status: deposit.status,
  held_as: deposit.heldAs,
  reason: deposit.reason,
  explanation: sentenceOf(deposit.explanation),
  tx_hash: deposit.txHash,
  address: deposit.address,
  payment_intent_id: deposit.intentId,
  merchant_id: deposit.merchantId,
  seen_at: deposit.seenAt,
});

/** Everything that staff see of a deposit. */
export function presentStaffDeposit(deposit: StaffDepositDetails): StaffDepositObject {
  const { refund, decisions } = deposit;
  return {
    id: deposit.id,
    object: 'deposit',
    environment: deposit.environment,
    network: deposit.network,
    token: deposit.token,
    amount_decimal: deposit.amountDecimal,
    status: deposit.status,
    held_as: deposit.heldAs,
    sentence: deposit.sentence,
    offers: [...deposit.offers],
    commands: [...deposit.commands],
    address: deposit.address,
    from_address: deposit.fromAddress,
    tx_hash: deposit.txHash,
    block_number: deposit.blockNumber,
    pays_intent: deposit.paysIntent,
    payment_intent_id: deposit.intentId,
    merchant_id: deposit.merchantId,
    merchant_name: deposit.merchantName,
    seen_at: deposit.seenAt.toISOString(),
    booked_at: deposit.bookedAt?.toISOString() ?? null,
    refund: refund && presentRefund(refund),
    decisions: decisions.map(presentVerdict),
  };
}

function presentRefund(details: RefundDetails): StaffDepositObject['refund'] {
  const { view } = details;
  const { simulation, transaction, attempts } = presentProgress(details);
  return {
    id: view.id,
    destination: view.destination,
    status: view.status,
    standing: view.standing && REFUND_STANDINGS[view.standing],
    failure: view.failureCode && REFUND_FAILURES[view.failureCode],
    tx_hash: view.txHash,
    ordered_at: view.orderedAt,
    simulation,
    transaction,
    attempts,
  };
}

/** The words of a list of commands, as a sentence. */
const sentenceOf = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
