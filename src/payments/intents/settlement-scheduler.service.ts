import { Injectable } from '@nestjs/common';
import { moveOpenIntents } from '../../offers/replaced-chains.js';
import { Database } from '../../platform/database/database.js';
import { JobWaker } from '../../platform/queue/job-waker.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { OPEN_STATUSES } from '../../domain/intent-state.js';
import { textList } from '../../platform/database/text-list.js';
import { settlementJobs } from './settlement-jobs.js';

const BATCH = 500;

/**
 * Marks open intents whose amounts include money on hold. It exists for rolling updates only: a worker of the previous
 * version counts money on hold and deletes the mark of the migration. Remove it one version later.
 *
 * `counting_units` is the sum of the intent's payments that are neither on hold nor kept, late ones included. An intent
 * that received more than that has counted money on hold.
 */
export const RECHECK_STATEMENT = `
  insert into dirty_intent (intent_id)
  select intent.id from payment_intent intent
   where intent.id in (select intent_id from deposit where held_as is not null and held_as in ('frozen', 'kept'))
     and intent.status in ('requires_action', 'processing')
     and intent.received_crypto_amount > counting_units(intent.id)
   order by intent.id
  on conflict do nothing`;

/**
 * Schedules the settlement of intents that are past their deadline, or whose wake was lost with a queue or a process.
 * Each run is bounded; the next one finds the rest.
 */
@Injectable()
export class SettlementScheduler {
  constructor(
    private readonly database: Database,
    private readonly queue: JobWaker,
  ) {}

  /** Wakes workers for open intents that are due; one in quarantine waits for a new fact. */
  @RecurringJob({ role: 'worker', every: 500 })
  async wakeDue(): Promise<number> {
    return this.wake(
      `select id from payment_intent
        where status in ${textList(OPEN_STATUSES)} and due_at <= now()
          and not exists (select from dirty_intent where intent_id = id and quarantined_at is not null)
        order by due_at limit $1`,
    );
  }

  /** Wakes workers for marks that have waited longer than a wake takes. */
  @RecurringJob({ role: 'worker', every: 2_000 })
  async wakeDirty(): Promise<number> {
    return this.wake(
      `select intent_id as id from dirty_intent
        where quarantined_at is null and marked_at < now() - interval '1 second' order by marked_at limit $1`,
    );
  }

  /** Marks the intents that a worker of the previous version settled with money on hold, during a rolling update. */
  @RecurringJob({ role: 'worker', every: 10_000 })
  async recheckOnHold(): Promise<void> {
    await this.database.query(RECHECK_STATEMENT);
  }

  /** Moves the open intents of development chains that were replaced. */
  @RecurringJob({ role: 'worker', every: 2_000 })
  async moveFromReplacedChains(): Promise<void> {
    await moveOpenIntents(this.database.em());
  }

  private async wake(text: string): Promise<number> {
    const rows = await this.database.query<{ id: string }>(text, [BATCH]);
    this.queue.wakeMany('intents.settle', settlementJobs(rows.map(({ id }) => id)));
    return rows.length;
  }
}
