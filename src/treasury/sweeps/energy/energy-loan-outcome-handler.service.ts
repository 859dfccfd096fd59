import { Injectable } from '@nestjs/common';
import { rows, type Tx } from '../../../platform/database/database.js';
import { OutcomeHandler, type TransactionOutcome } from '../../transactions/outcome-handler.js';
import type { EnergyOrder } from '../../transactions/transaction-order.js';
import { finishSweeps } from '../sweep-rows.js';
import { endLoan, lockLoan } from './energy-loans.sql.js';
import { loanOrder } from './energy-orders.js';
import { orderReturn } from './energy-returns.js';

/** Ends loans of energy: the sweep can be signed once its address has it, and is planned again when that did not happen. */
@Injectable()
export class EnergyLoanOutcomeHandler extends OutcomeHandler {
  orderOf(tx: Tx, id: string): Promise<EnergyOrder | null> {
    return loanOrder(tx, id);
  }

  /** One that has expired ends: the stake may be too small by now, so the sweep is planned by what the chain says then. */
  override async reopen(tx: Tx, id: string): Promise<void> {
    await this.end(tx, id, null);
  }

  async ended(tx: Tx, outcomes: readonly TransactionOutcome[]): Promise<void> {
    for (const { purposeId, succeeded, height } of outcomes) await this.end(tx, purposeId, succeeded ? height : null);
  }

  /** @param height of the block that lent it; null when none did */
  private async end(tx: Tx, id: string, height: number | null): Promise<void> {
    const [loan] = await rows(tx, lockLoan(id));
    if (loan === undefined) throw new Error(`There is no loan ${id}.`);
    await rows(tx, endLoan(id, height === null ? 0n : BigInt(loan.stake), height ?? 0));
    const { sweepId } = loan;
    if (height === null && sweepId !== null) await finishSweeps(tx, [sweepId]);
    // No sweep will end it.
    if (height !== null && sweepId === null) await orderReturn(tx, id);
  }
}
