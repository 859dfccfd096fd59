import { DomainError } from '../domain/errors.js';
import type { Tx } from '../platform/database/database.js';
import { ReturnEndings } from '../returns/return-endings.service.js';
import { finishSweeps } from '../sweeps/sweep-rows.js';
import type { TransactionPurpose } from '../treasury/standing-order.js';
import { WithdrawalEndings } from './withdrawal-endings.service.js';

/** Ends the orders of transactions that can never be mined: what they held is free again, and may be ordered anew. */
export class SupersededOrders {
  constructor(
    private readonly withdrawals: WithdrawalEndings,
    private readonly returns: ReturnEndings,
  ) {}

  /** @throws DomainError invalid_state_transition for what has no such end */
  async end(tx: Tx, purpose: TransactionPurpose, purposeId: string): Promise<void> {
    if (purpose === 'withdrawal') await this.withdrawals.fail(tx, purposeId, 'cancelled', null);
    else if (purpose === 'deposit_return') await this.returns.fail(tx, purposeId, 'cancelled', null);
    else if (purpose === 'sweep') await finishSweeps(tx, [purposeId]);
    else throw new DomainError('invalid_state_transition', `A ${purpose} that was signed cannot be ended.`);
  }
}
