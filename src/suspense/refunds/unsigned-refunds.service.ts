import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { WaitingReason } from '../../domain/outgoing-payment.js';
import type { Tx } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import type {
  PaymentFailure,
  PaymentOrder,
  UnsignedPayments,
} from '../../treasury/transactions/payment-signer.service.js';
import type { SigningRules } from '../../treasury/transactions/transaction-signer.service.js';
import { recordWaiting } from '../../treasury/transactions/waiting-orders.js';
import { heldRefunds, lockRefunds, type RefundOrder } from './refund-order.js';
import { RefundOutcomeHandler } from './refund-outcome-handler.service.js';
import type { RefundWaitingReason } from './refund-standing.js';

type UnsignedRefund = RefundOrder & PaymentOrder<'deposit_gone'>;

/**
 * Refunds that wait for a signature; `PaymentSigner` signs them. Staff order them by a command, which wakes no process: the
 * vault polls every second.
 */
@Injectable()
export class UnsignedRefunds implements UnsignedPayments<UnsignedRefund, 'deposit_gone'> {
  readonly purpose = 'deposit_return';
  readonly noun = 'refund';

  constructor(
    private readonly outcomes: RefundOutcomeHandler,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async lock(tx: Tx, ids: readonly string[]): Promise<readonly UnsignedRefund[]> {
    const orders = await lockRefunds(tx, ids, 'both, unless locked');
    return orders.filter(({ isSigned }) => !isSigned).map((order) => ({ ...order, strategy: 'standard' }));
  }

  async rules(tx: Tx, orders: readonly UnsignedRefund[]): Promise<SigningRules<RefundWaitingReason>> {
    const held = await heldRefunds(tx, orders);
    const reorged = new Set(orders.filter(({ isReorged }) => isReorged).map(({ id }) => id));
    return {
      obstacleTo: (id) => (reorged.has(id) ? 'deposit_gone' : held.has(id) ? null : 'not_booked'),
      sign: () => undefined,
    };
  }

  async wait(tx: Tx, waiting: readonly (readonly [UnsignedRefund, WaitingReason | 'deposit_gone'])[]): Promise<void> {
    const reasons = new Map(waiting.map(([{ id }, reason]) => [id, reason]));
    await recordWaiting(tx, 'deposit_return', reasons);
    for (const [refundId, reason] of reasons) this.logger.warn({ refundId, reason }, 'The refund waits.');
  }

  fail(tx: Tx, id: string, code: PaymentFailure): Promise<void> {
    return this.outcomes.fail(tx, id, code, null);
  }
}
