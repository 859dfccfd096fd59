import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { deleteOldTries } from './sign-in-failures.sql.js';
import { deleteOldSessions } from './staff-sessions.sql.js';

const BATCH = 1_000;

/** Deletes rows that no longer matter: counts of failed sign-ins, which anybody can cause, and sessions of last week. */
@Injectable()
export class StaffPruning {
  constructor(private readonly database: Database) {}

  @RecurringJob({ role: 'worker', every: 600_000, leader: 'scheduler' })
  async prune(): Promise<void> {
    while ((await this.database.rows(deleteOldTries(BATCH))).length === BATCH);
    while ((await this.database.rows(deleteOldSessions(BATCH))).length === BATCH);
  }
}
