import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Metrics } from '../../platform/metrics.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';

/** Measures the backlog of settlement. */
@Injectable()
export class IntentWatch {
  constructor(
    private readonly database: Database,
    private readonly metrics: Metrics,
  ) {}

  /** Intents that are marked for settlement, quarantined ones included. */
  @RecurringJob({ role: 'worker', every: 10_000 })
  async measure(): Promise<void> {
    const [row] = await this.database.query<{ count: string }>(`select count(*) from dirty_intent`);
    this.metrics.intents.setDirty(Number(row?.count));
  }
}
