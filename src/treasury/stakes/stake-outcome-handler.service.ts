import { Injectable } from '@nestjs/common';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { OutcomeHandler, type TransactionOutcome } from '../transactions/outcome-handler.js';
import type { StakingOrder } from '../transactions/transaction-order.js';
import { endOrder, endOutdatedOrders } from './stake-orders.sql.js';
import { stakingOrder } from './staking-order.js';

/** Ends orders to stake. One that failed or expired is not tried again: the operator decides by what the chain says then. */
@Injectable()
export class StakeOutcomeHandler extends OutcomeHandler {
  constructor(private readonly database: Database) {
    super();
  }

  orderOf(tx: Tx, id: string): Promise<StakingOrder | null> {
    return stakingOrder(tx, id);
  }

  override async reopen(tx: Tx, id: string): Promise<void> {
    await this.end(tx, id, null);
  }

  async ended(tx: Tx, outcomes: readonly TransactionOutcome[]): Promise<void> {
    for (const { purposeId, succeeded, height } of outcomes) await this.end(tx, purposeId, succeeded ? height : null);
  }

  /** Ends orders that will never be mined: unsigned for too long, or on a replaced chain. */
  @RecurringJob({ role: 'worker', every: 10_000, leader: 'scheduler' })
  async giveUp(): Promise<void> {
    await this.database.transaction((tx) => rows(tx, endOutdatedOrders));
  }

  private async end(tx: Tx, id: string, height: number | null): Promise<void> {
    const order = await stakingOrder(tx, id);
    if (order === null) throw new Error(`There is no order ${id}.`);
    await rows(tx, endOrder(id, height));
  }
}
