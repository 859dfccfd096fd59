import { Injectable } from '@nestjs/common';
import { moveOpenIntents } from '../../offers/replaced-chains.js';
import { chainsLeftBehind } from '../../offers/replaced-chains.sql.js';
import { Database } from '../../platform/database/database.js';
import { JobWaker } from '../../platform/queue/job-waker.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { markCountedOnHold, waitingMarks } from './dirty-intents.sql.js';
import type { PaymentIntent } from './payment-intent.entity.js';
import { dueIntents } from './settlement.sql.js';
import { settlementJobs } from './settlement-jobs.js';

const BATCH = 500;
const intentsPastDeadline = dueIntents(BATCH);
const marksLeft = waitingMarks(BATCH);

/**
 * Schedules the settlement of intents that are past their deadline, or whose wake was lost with a queue or a process.
 * A run wakes a bounded number; the next one finds the rest.
 */
@Injectable()
export class SettlementScheduler {
  constructor(
    private readonly database: Database,
    private readonly queue: JobWaker,
  ) {}

  /** Wakes workers for open intents that are due; one in quarantine waits for a new fact. */
  @RecurringJob({ role: 'worker', every: 1_000, when: intentsPastDeadline })
  async wakeDue(): Promise<void> {
    this.wake(await this.database.rows(intentsPastDeadline));
  }

  /** Wakes workers for marks that have waited longer than a wake takes. */
  @RecurringJob({ role: 'worker', every: 2_000, when: marksLeft })
  async wakeDirty(): Promise<void> {
    this.wake(await this.database.rows(marksLeft));
  }

  /** Marks the intents that a worker of the previous version settled with money on hold, during a rolling update. */
  @RecurringJob({ role: 'worker', every: 10_000 })
  async recheckOnHold(): Promise<void> {
    await this.database.rows(markCountedOnHold);
  }

  /** Moves the open intents of development chains that were replaced. */
  @RecurringJob({ role: 'worker', every: 2_000, when: chainsLeftBehind })
  async moveFromReplacedChains(): Promise<void> {
    await moveOpenIntents(this.database.em());
  }

  private wake(intents: readonly Pick<PaymentIntent, 'id'>[]): void {
    this.queue.wakeMany('intents.settle', settlementJobs(intents.map(({ id }) => id)));
  }
}
