import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { isHeldByRule, type WaitingReason } from '../../domain/outgoing-payment.js';
import { type Tx, sql } from '../../platform/database/database.js';
import { detached } from '../../platform/database/detached.js';
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
    const rows = await sql<Record<string, unknown>>(
      tx,
      `select * from withdrawal where id = any($1) and status = 'broadcasting' and signed_at is null
        order by created_at, id for no key update skip locked`,
      [ids],
    );
    return rows.map((row) => {
      const withdrawal = detached(tx, Withdrawal, row);
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
    await sql(
      tx,
      `update withdrawal set waiting_reason = waiting.reason,
              released_at = case when waiting.is_released then now() else released_at end
         from unnest($1::text[], $2::text[], $3::boolean[]) as waiting (id, reason, is_released)
        where withdrawal.id = waiting.id`,
      [
        waiting.map(([{ id }]) => id),
        waiting.map(([, reason]) => reason),
        waiting.map(([{ waitingReason }, reason]) => isHeldByRule(waitingReason) && !isHeldByRule(reason)),
      ],
    );
    for (const [{ id }, reason] of waiting) this.logger.warn({ withdrawalId: id, reason }, 'The withdrawal waits.');
  }

  fail(tx: Tx, id: string, code: PaymentFailure): Promise<void> {
    return this.outcomes.fail(tx, id, code, null);
  }
}
