import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Metrics } from '../../platform/metrics.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { DirtyIntent } from './dirty-intent.entity.js';

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
    this.metrics.intents.setDirty(await this.database.em().count(DirtyIntent));
  }
}
