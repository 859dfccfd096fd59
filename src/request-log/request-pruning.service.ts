import { Inject, Injectable } from '@nestjs/common';
import { idBefore } from '../domain/ids.js';
import { ENVIRONMENTS } from '../domain/network.js';
import { CONFIG, type Config } from '../platform/config.js';
import { Database } from '../platform/database/database.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { deleteOldRequests, deleteRequestsBeyond } from './request-records.sql.js';

const BATCH = 1_000;
/** About 2 GB. */
const KEPT_MAX = 5_000_000;
const DAY_MS = 86_400_000;

/** Deletes requests that are older than the log goes back, and the oldest ones of more than five million. */
@Injectable()
export class RequestPruning {
  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'requestLog'>,
  ) {}

  @RecurringJob({ role: 'worker', every: 600_000, leader: 'scheduler' })
  prune(): Promise<void> {
    return this.keep(KEPT_MAX);
  }

  /** Keeps about `max` requests at most. */
  async keep(max: number): Promise<void> {
    const before = idBefore('req_', new Date(Date.now() - this.config.requestLog.retentionDays * DAY_MS));
    for (const environment of ENVIRONMENTS) {
      while ((await this.database.rows(deleteOldRequests(environment, before, BATCH))).length === BATCH);
      while ((await this.database.rows(deleteRequestsBeyond(environment, max, BATCH))).length === BATCH);
    }
  }
}
