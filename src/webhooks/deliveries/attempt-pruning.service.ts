import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { deleteOldAnswers, deleteOldAttempts } from './attempt-pruning.sql.js';

const BATCH = 1_000;

/**
 * Deletes what receivers answered, and later the attempts themselves. Deliveries and events stay, so that every dead letter
 * can still be sent again.
 */
@Injectable()
export class AttemptPruning {
  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'webhooks'>,
  ) {}

  @RecurringJob({ role: 'worker', every: 600_000, leader: 'scheduler' })
  async prune(): Promise<void> {
    const { answerRetentionDays, attemptRetentionDays } = this.config.webhooks;
    while ((await this.database.rows(deleteOldAnswers(answerRetentionDays, BATCH))).length === BATCH);
    while ((await this.database.rows(deleteOldAttempts(attemptRetentionDays, BATCH))).length === BATCH);
  }
}
