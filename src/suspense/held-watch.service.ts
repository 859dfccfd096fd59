import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { BOOKED_AND_GONE } from '../payments/deposits/gone-deposit.sql.js';
import { Metrics } from '../platform/metrics.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { HeldDeposits } from './held-deposits.service.js';

/** Measures the deposits that staff have to decide about. */
@Injectable()
export class HeldWatch {
  constructor(
    private readonly database: Database,
    private readonly held: HeldDeposits,
    private readonly metrics: Metrics,
  ) {}

  @RecurringJob({ role: 'worker', every: 10_000 })
  async measure(): Promise<void> {
    this.metrics.deposits.setHeld(await this.held.totals());
    this.metrics.deposits.setUnbooked(await this.held.unbooked());
    const gone = await this.database.query<{ chain_ref: string; count: number }>(
      `select chain_ref, count(*)::int as count from deposit
        where ${BOOKED_AND_GONE} group by chain_ref`,
    );
    this.metrics.deposits.setGone(new Map(gone.map(({ chain_ref: chain, count }) => [chain, count])));
  }
}
