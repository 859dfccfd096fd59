import { Injectable } from '@nestjs/common';
import { DomainError, notFound } from '../../domain/errors.js';
import { newId } from '../../domain/ids.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { transfer } from '../../domain/posting.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { systemAccount } from '../../ledger/system-accounts.js';
import { recordAction, type StaffOrder } from '../../platform/audit-trail.js';
import { rows, type Tx } from '../../platform/database/database.js';
import { invalidState, notInSuspense, notOnChain } from '../deposit-refusals.js';
import { type LockedDeposit, lockDeposit, moneyText } from '../locked-deposit.js';
import { expectCancellable } from '../../treasury/transactions/cancellable.js';
import { expectedFeeOf } from '../../treasury/fees/current-fees.js';
import {
  expectFrozen,
  expectNoUnrecordedPayment,
  type InformedOrder,
  type UnrecordedMarks,
} from '../../treasury/transactions/unrecorded-payments.js';
import { payableDestination } from '../../treasury/transactions/payable-destination.js';
import { RefundOutcomeHandler } from './refund-outcome-handler.service.js';
import { findToken, findTokenInUse } from './refund-operations.sql.js';
import { lockRefund, refundReference } from './refund-order.js';
import { setHolding } from '../deposit-decisions.sql.js';
import { insertRefund } from './refund-order.sql.js';
import { Refund } from './refund.entity.js';

/** An ordered refund. */
export interface OrderedRefund {
  readonly id: string;
  /** The amount in words, such as `25 USDC on polygon (sandbox)`. */
  readonly money: string;
  /** With its checksum. */
  readonly destination: string;
  /**
   * The fee that the network is expected to charge us, in the chain's coin; null while it is unknown. `token_changed`: it waits,
   * since nothing is paid in the token.
   */
  readonly fee: { readonly units: bigint; readonly coin: string; readonly decimals: number } | 'token_changed' | null;
}

/** The statements of staff who order a refund. */
export interface RefundWish extends InformedOrder {
  /** True when it was paid before a restore: the order is recorded again, so that the unrecorded payment can be adopted. */
  readonly isAgain: boolean;
}

/** Orders and cancels refunds for staff. Each action is booked and audited in one transaction. */
@Injectable()
export class RefundOperations {
  constructor(
    private readonly ledger: LedgerService,
    private readonly outcomes: RefundOutcomeHandler,
  ) {}

  /**
   * Orders the payment of a whole deposit in suspense to an address; we bear the network's fee. The vault finds the order
   * within a second. Until the refund ends, nothing else can be done with the deposit. Refused while an unrecorded payment
   * may have paid it out already, except for `isAgain`, which requires a frozen wallet.
   * @throws DomainError not_found, invalid_state_transition, network_unavailable, address_network_mismatch, address_blocked
   */
  async order(tx: Tx, depositId: string, to: string, wish: RefundWish): Promise<OrderedRefund> {
    const { unknown, isAgain, ...staff } = wish;
    const deposit = await lockDeposit(tx, depositId);
    if (deposit.heldAs !== 'suspense') throw await notInSuspense(tx, deposit);
    if (deposit.isReorged) throw notOnChain();
    if (isAgain) await expectFrozen(tx, deposit.chainRef);
    else await expectNoUnrecordedPayment(tx, deposit.chainRef, unknown);
    await expectInUse(tx, deposit);
    const { network, environment, asset, amount } = deposit;
    const destination = await payableDestination(tx, network, to);
    if (destination instanceof DomainError) throw destination;
    const id = newId('ret_');
    const { shown, key: destinationKey } = destination;
    await rows(tx, insertRefund({ id, depositId, destination: shown, destinationKey }));
    await this.ledger.book(tx, {
      reference: refundReference(depositId, id),
      kind: 'return',
      environment,
      legs: transfer({
        from: await systemAccount(tx, 'suspense', environment, asset),
        to: await systemAccount(tx, 'returning', environment, asset),
        asset,
        amount,
      }),
    });
    await rows(tx, setHolding(depositId, 'returning'));
    const details = { return: id, to: shown, ...(isAgain && { again: 'true' }) };
    await recordAction(tx, { ...staff, action: 'deposit.return', subject: depositId, details });
    return { id, money: moneyText(deposit), destination: shown, fee: await feeOf(tx, deposit) };
  }

  /**
   * Cancels a refund that was never signed: the deposit is in suspense again. Returns the deposit's id.
   * @param unknown Read from the chain just now.
   * @throws DomainError not_found, invalid_state_transition
   */
  async cancel(tx: Tx, id: string, staff: StaffOrder, unknown: UnrecordedMarks): Promise<string> {
    const order = await lockRefund(tx, id, 'both');
    if (order === null) throw await notOpen(tx, id);
    const { chainRef } = order.transfer;
    const { isSigned, depositId } = order;
    const cancelled = { purpose: 'deposit_return', purposeId: id, chainRef, isSigned, word: 'refund' } as const;
    await expectCancellable(tx, cancelled, unknown);
    await this.outcomes.fail(tx, id, 'cancelled', null);
    await recordAction(tx, { ...staff, action: 'return.cancel', subject: id });
    return depositId;
  }
}

/** Payments on a chain that is not in use are never confirmed, and the balance of a token that is off is not refreshed. */
async function expectInUse(tx: Tx, { chainRef, network, environment, token }: LockedDeposit): Promise<void> {
  const offered = await rows(tx, findTokenInUse(chainRef, token.contract));
  if (offered.length > 0) return;
  throw new DomainError(
    'network_unavailable',
    `${token.symbol} on ${network} (${environment}) cannot be paid out: the chain or the token is not in use.`,
  );
}

async function feeOf(tx: Tx, { chainRef, network, token }: LockedDeposit): Promise<OrderedRefund['fee']> {
  const payment = { chainRef, network, token: token.contract, strategy: 'standard', opensAccount: null } as const;
  const expected = await expectedFeeOf(tx, payment);
  const [coin] = await rows(tx, findToken(chainRef, NATIVE_COIN));
  if (expected === 'token_changed') return expected;
  return expected === null || coin === undefined
    ? null
    : { units: expected.fee, coin: coin.symbol, decimals: coin.decimals };
}

async function notOpen(tx: Tx, id: string): Promise<DomainError> {
  const refund = await tx.findOne(Refund, { id });
  return refund === null ? notFound('refund') : invalidState(`The refund is already ${refund.status}.`);
}
