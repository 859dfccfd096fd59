import { Injectable } from '@nestjs/common';
import { rows, type Tx } from '../../../platform/database/database.js';
import { OutcomeHandler, type TransactionOutcome } from '../../transactions/outcome-handler.js';
import type { FundingOrder } from '../../transactions/transaction-order.js';
import { countFailures } from '../sweep-failures.sql.js';
import { finishSweeps } from '../sweep-rows.js';
import { fundingOrder } from './funding-order.js';
import { addFunded, endFunding, lockFunding, markFundingUnsigned } from './fundings.sql.js';

/** Ends fundings: the sweep can be signed once its coins are there, and is planned again when they did not come. */
@Injectable()
export class FundingOutcomeHandler extends OutcomeHandler {
  orderOf(tx: Tx, id: string): Promise<FundingOrder | null> {
    return fundingOrder(tx, id);
  }

  override async reopen(tx: Tx, id: string): Promise<void> {
    await rows(tx, markFundingUnsigned(id));
  }

  async ended(tx: Tx, outcomes: readonly TransactionOutcome[]): Promise<void> {
    for (const outcome of outcomes) await this.end(tx, outcome);
  }

  private async end(tx: Tx, { purposeId: id, succeeded, height }: TransactionOutcome): Promise<void> {
    const [funding] = await rows(tx, lockFunding(id));
    if (funding === undefined) throw new Error(`There is no funding ${id}.`);
    const { chainRef, addressId, sweepId } = funding;
    const amount = BigInt(funding.amount);
    await rows(tx, endFunding(id, succeeded ? amount : 0n, height));
    if (succeeded) {
      await rows(tx, addFunded(chainRef, addressId, amount));
    } else {
      await finishSweeps(tx, [sweepId]);
      await rows(tx, countFailures(sweepId, 1));
    }
  }
}
