import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { isHeldByRule, type WaitingReason } from '../../domain/outgoing-payment.js';
import { rows, type Tx } from '../../platform/database/database.js';
import { entityOf } from '../../platform/database/entity-of.js';
import { LOGGER } from '../../platform/logging.js';
import type {
  PaymentFailure,
  PaymentOrder,
  UnsignedPayments,
} from '../../treasury/transactions/payment-signer.service.js';
import type { SigningRules } from '../../treasury/transactions/transaction-signer.service.js';
import { WithdrawalPolicies } from '../policies/withdrawal-policies.service.js';
import { Withdrawal } from '../withdrawal.entity.js';
import { heldAmong } from './held-funds.js';
import { lockUnsigned, recordReasons } from './unsigned-withdrawals.sql.js';
import { transferOf } from './withdrawal-order.js';
import { WithdrawalOutcomeHandler } from './withdrawal-outcome-handler.service.js';

type WithdrawalOrder = PaymentOrder<never> & { readonly withdrawal: Withdrawal };

/** Withdrawals that wait for a signature; `PaymentSigner` signs them. */
@Injectable()
export class UnsignedWithdrawals implements UnsignedPayments<WithdrawalOrder, never> {
  readonly purpose = 'withdrawal';
  readonly noun = 'withdrawal';

  constructor(
    private readonly policies: WithdrawalPolicies,
    private readonly outcomes: WithdrawalOutcomeHandler,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async lock(tx: Tx, ids: readonly string[]): Promise<readonly WithdrawalOrder[]> {
    const unsigned = await rows(tx, lockUnsigned(ids));
    return unsigned.map((row) => {
      const withdrawal = entityOf(tx, Withdrawal, row);
      const { id, network, feeStrategy: strategy, waitingReason } = withdrawal;
      return { id, network, strategy, waitingReason, transfer: transferOf(withdrawal), withdrawal };
    });
  }

  async rules(tx: Tx, orders: readonly WithdrawalOrder[]): Promise<SigningRules<WaitingReason>> {
    const ids = orders.map(({ id }) => id);
    const held = await heldAmong(tx, ids);
    const asked = orders.filter(({ id }) => held.has(id)).map(({ withdrawal }) => withdrawal);
    const decisions = await this.policies.decisions(tx, asked);
    return {
      obstacleTo: (id) => (held.has(id) ? decisions.decisionOn(id) : 'not_booked'),
      sign: (id) => decisions.sign(id),
    };
  }

  async wait(tx: Tx, waiting: readonly (readonly [WithdrawalOrder, WaitingReason])[]): Promise<void> {
    const reasons = waiting.map(([{ id, waitingReason }, reason]) => ({
      id,
      reason,
      isReleased: isHeldByRule(waitingReason) && !isHeldByRule(reason),
    }));
    await rows(tx, recordReasons(reasons));
    for (const [{ id }, reason] of waiting) this.logger.warn({ withdrawalId: id, reason }, 'The withdrawal waits.');
  }

  fail(tx: Tx, id: string, code: PaymentFailure): Promise<void> {
    return this.outcomes.fail(tx, id, code, null);
  }
}
