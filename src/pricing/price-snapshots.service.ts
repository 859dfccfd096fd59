import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { newId } from '../domain/ids.js';
import type { Environment } from '../domain/network.js';
import { Database } from '../platform/database/database.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { PriceMarket } from './price-market.service.js';
import { PriceSnapshot } from './price-snapshot.entity.js';
import { deleteOldSnapshots, dueEnvironments } from './price-snapshots.sql.js';
import { PriceWatch } from './price-watch.js';

/** Well below the age at which a price becomes stale. */
const SNAPSHOT_EVERY_SECONDS = 20;
/** When a price is missing: callers are asked to retry after this time. */
const SNAPSHOT_AGAIN_SECONDS = 10;
const environmentsWithoutPrices = dueEnvironments({
  usual: SNAPSHOT_EVERY_SECONDS,
  incomplete: SNAPSHOT_AGAIN_SECONDS,
});

const SNAPSHOTS_KEPT = '30 days';
const PRUNED_AT_ONCE = 1_000;

/** Takes price snapshots. One process does: the leader of the recurring jobs. */
@Injectable()
export class PriceSnapshots implements BeforeApplicationShutdown {
  private isClosing = false;

  constructor(
    private readonly database: Database,
    private readonly market: PriceMarket,
    private readonly watch: PriceWatch,
  ) {}

  /**
   * Takes a snapshot for every environment that has chains and whose newest snapshot is too old, or is missing a token
   * on offer: chains register one after the other, and their tokens must not wait for the next snapshot.
   */
  @RecurringJob({ role: 'worker', every: 1_000, leader: 'scheduler', atOnce: true, when: environmentsWithoutPrices })
  async takeDue(): Promise<void> {
    for (const { environment } of await this.database.rows(environmentsWithoutPrices))
      await this.takeSnapshot(environment);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    await this.market.close();
  }

  /**
   * Stores the current prices as a snapshot, dated when it was begun: a leader that was paused in between stores an old
   * snapshot, never old prices as a new one.
   */
  private async takeSnapshot(environment: Environment): Promise<void> {
    const prices = await this.market.price(environment);
    // Sources that our own shutdown cut off said nothing about prices: such a snapshot would stop the quotes of others.
    if (prices === null || this.isClosing) return;
    const em = this.database.em();
    const { verdicts, at: createdAt } = prices;
    await em.insert(PriceSnapshot, { id: newId('prd_'), environment, prices: verdicts, createdAt });
    this.watch.snapshotTaken(environment, prices);
  }

  /** Deletes snapshots that no quote refers to and that are older than 30 days. */
  @RecurringJob({ role: 'worker', every: 600_000, leader: 'scheduler' })
  async prune(): Promise<void> {
    await this.database.rows(deleteOldSnapshots(SNAPSHOTS_KEPT, PRUNED_AT_ONCE));
  }
}
