import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { BOOKED_AND_REORGED } from '../payments/deposits/reorged-deposit.sql.js';
import { Metrics } from '../platform/metrics.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { DepositsWithoutPocket } from './deposits-without-pocket.service.js';

/** Measures the deposits that staff have to decide about. */
@Injectable()
export class SuspenseWatch {
  constructor(
    private readonly database: Database,
    private readonly deposits: DepositsWithoutPocket,
    private readonly metrics: Metrics,
  ) {}

  @RecurringJob({ role: 'worker', every: 10_000 })
  async measure(): Promise<void> {
    this.metrics.deposits.setHoldings(await this.deposits.totals());
    this.metrics.deposits.setUnbooked(await this.deposits.unbooked());
    const reorged = await this.database.query<{ chain_ref: string; count: number }>(
      `select chain_ref, count(*)::int as count from deposit
        where ${BOOKED_AND_REORGED} group by chain_ref`,
    );
    this.metrics.deposits.setReorged(new Map(reorged.map(({ chain_ref: chain, count }) => [chain, count])));
  }
}
