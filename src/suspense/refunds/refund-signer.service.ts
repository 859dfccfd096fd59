import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { WaitingReason } from '../../domain/outgoing-payment.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { isBeingSimulated } from '../../treasury/simulation/payment-simulations.sql.js';
import {
  type PaymentFailure,
  type PaymentKind,
  type PaymentOrder,
  PaymentSigner,
} from '../../treasury/transactions/payment-signer.service.js';
import { SigningRun } from '../../treasury/transactions/signing-run.js';
import type { OrderRules } from '../../treasury/transactions/transaction-signer.service.js';
import { recordWaiting } from '../../treasury/transactions/waiting-orders.js';
import type { Vault } from '../../vault/vault.js';
import { heldRefunds, lockRefunds, type RefundOrder } from './refund-order.js';
import { RefundOutcomeHandler } from './refund-outcome-handler.service.js';
import type { RefundWaitingReason } from './refund-standing.js';

type Payment = RefundOrder & PaymentOrder<'deposit_gone'>;

/** Has the vault sign refunds. Staff order them by a command, which wakes no process: the vault polls every second. */
@Injectable()
export class RefundSigner implements PaymentKind<Payment, 'deposit_gone'> {
  readonly purpose = 'deposit_return';
  private readonly run: SigningRun<RefundWaitingReason>;

  constructor(
    database: Database,
    payments: PaymentSigner,
    private readonly outcomes: RefundOutcomeHandler,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.run = new SigningRun(database, logger, {
      noun: 'return',
      logKey: 'returnId',
      failpoint: 'return',
      together: 100,
      waiting: {
        table: 'deposit_return',
        purpose: `'deposit_return'`,
        purposeId: 'id',
        isOpen: `status = 'broadcasting' and signed_at is null`,
        chainRef: '(select chain_ref from deposit where deposit.id = deposit_id)',
        hasReason: 'waiting_reason is not null',
        isBeingSimulated: isBeingSimulated('deposit_return'),
      },
      sign: (vault, ids) => database.transaction((tx) => payments.signIn(tx, vault, this, ids)),
    });
  }

  /** Signs every refund that waits for it, as `SigningRun.signWaiting`. */
  signWaiting(vault: Vault): Promise<void> {
    return this.run.signWaiting(vault);
  }

  /** Signs one refund, as `SigningRun.sign`. */
  sign(vault: Vault, id: string): Promise<RefundWaitingReason | null> {
    return this.run.sign(vault, id);
  }

  async lock(tx: Tx, ids: readonly string[]): Promise<readonly Payment[]> {
    const orders = await lockRefunds(tx, ids, 'both, unless locked');
    return orders.filter(({ isSigned }) => !isSigned).map((order) => ({ ...order, strategy: 'standard' }));
  }

  async rules(tx: Tx, orders: readonly Payment[]): Promise<OrderRules<RefundWaitingReason>> {
    const held = await heldRefunds(tx, orders);
    const reorged = new Set(orders.filter(({ isReorged }) => isReorged).map(({ id }) => id));
    return {
      obstacleTo: (id) => (reorged.has(id) ? 'deposit_gone' : held.has(id) ? null : 'not_booked'),
      sign: () => undefined,
    };
  }

  async wait(tx: Tx, waiting: readonly (readonly [Payment, WaitingReason | 'deposit_gone'])[]): Promise<void> {
    const reasons = new Map(waiting.map(([{ id }, reason]) => [id, reason]));
    await recordWaiting(tx, 'deposit_return', reasons);
    for (const [returnId, reason] of reasons) this.logger.warn({ returnId, reason }, 'The return waits.');
  }

  fail(tx: Tx, id: string, code: PaymentFailure): Promise<void> {
    return this.outcomes.fail(tx, id, code, null);
  }
}
