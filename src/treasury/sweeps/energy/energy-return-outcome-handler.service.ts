import { Injectable } from '@nestjs/common';
import { rows, type Tx } from '../../../platform/database/database.js';
import { OutcomeHandler, type TransactionOutcome } from '../../transactions/outcome-handler.js';
import type { EnergyOrder } from '../../transactions/transaction-order.js';
import { returnOrder } from './energy-orders.js';
import { endReturn, lockReturn, markReturnUnsigned } from './energy-returns.sql.js';
import { orderReturn } from './energy-returns.js';

/** Ends returns of energy. One that failed or expired is tried again until a final block has it. */
@Injectable()
export class EnergyReturnOutcomeHandler extends OutcomeHandler {
  orderOf(tx: Tx, id: string): Promise<EnergyOrder | null> {
    return returnOrder(tx, id);
  }

  override async reopen(tx: Tx, id: string): Promise<void> {
    await rows(tx, markReturnUnsigned(id));
  }

  async ended(tx: Tx, outcomes: readonly TransactionOutcome[]): Promise<void> {
    for (const { purposeId: id, succeeded, height } of outcomes) {
      const [giving] = await rows(tx, lockReturn(id));
      if (giving === undefined) throw new Error(`There is no return ${id}.`);
      await rows(tx, endReturn(id, succeeded ? BigInt(giving.stake) : 0n, height));
      if (!succeeded) await orderReturn(tx, giving.loanId);
    }
  }
}
