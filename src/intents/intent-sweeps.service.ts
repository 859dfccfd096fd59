import { Injectable } from '@nestjs/common';
import { moveOpenIntents } from '../networks/gone-chains.js';
import { Database } from '../platform/database/database.js';
import { JobQueue } from '../platform/queue/job-queue.js';
import { settlementJobs } from './settlement-jobs.js';

const BATCH = 500;

/**
 * Finds what PostgreSQL knows is due and wakes workers for it: intents past their deadline, and marks whose wake was
 * lost with a queue or a process. Both are bounded, and what is left over is found by the next round.
 */
@Injectable()
export class IntentSweeps {
  constructor(
    private readonly database: Database,
    private readonly queue: JobQueue,
  ) {}

  /** Wakes workers for open intents whose time has come; one in quarantine waits for a new fact. */
  async wakeDue(): Promise<number> {
    return this.wake(
      `select id from payment_intent
        where status in ('created', 'requires_action', 'processing') and due_at <= now()
          and not exists (select from dirty_intent where intent_id = id and quarantined_at is not null)
        order by due_at limit $1`,
    );
  }

  /** Wakes workers for marks that have waited longer than a wake takes. */
  async wakeDirty(): Promise<number> {
    return this.wake(
      `select intent_id as id from dirty_intent
        where quarantined_at is null and marked_at < now() - interval '1 second' order by marked_at limit $1`,
    );
  }

  /** Moves the open intents of development chains that were replaced. */
  async moveFromGoneChains(): Promise<void> {
    await moveOpenIntents(this.database.em());
  }

  /** Marks that wait, quarantined ones included. */
  async countDirty(): Promise<number> {
    const [row] = await this.database.query<{ count: string }>(`select count(*) from dirty_intent`);
    return Number(row?.count ?? 0);
  }

  private async wake(text: string): Promise<number> {
    const rows = await this.database.query<{ id: string }>(text, [BATCH]);
    this.queue.wakeMany('intents.settle', settlementJobs(rows.map(({ id }) => id)));
    return rows.length;
  }
}
