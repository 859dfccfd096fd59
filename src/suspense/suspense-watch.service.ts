import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { Metrics } from '../platform/metrics.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { DepositsWithoutPocket } from './deposits-without-pocket.service.js';
import { countReorged, countUnexplained } from './staff-deposits.sql.js';

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
    this.metrics.deposits.setReorged(byChain(await this.database.rows(countReorged)));
    this.metrics.deposits.setUnexplained(byChain(await this.database.rows(countUnexplained)));
  }
}

const byChain = (
  counts: readonly { readonly chainRef: string; readonly count: number }[],
): ReadonlyMap<string, number> => new Map(counts.map(({ chainRef, count }) => [chainRef, count]));
