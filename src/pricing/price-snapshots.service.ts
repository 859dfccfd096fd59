import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { newId } from '../domain/ids.js';
import { ENVIRONMENTS, type Environment } from '../domain/network.js';
import { Database } from '../platform/database/database.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { PriceMarket } from './price-market.service.js';
import { PriceWatch } from './price-watch.js';

/** Well below the age at which a price becomes stale. */
const SNAPSHOT_EVERY_SECONDS = 20;
/** When a price is missing: callers are asked to retry after this time. */
const SNAPSHOT_AGAIN_SECONDS = 10;

const SNAPSHOTS_KEPT = '30 days';

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
  @RecurringJob({ role: 'worker', every: 1_000, leader: 'scheduler', atOnce: true })
  async takeDue(): Promise<void> {
    const rows = await this.database.query<{ environment: Environment }>(
      `select distinct environment from chain
        where active and not exists (
          select from price_round
           where environment = chain.environment and created_at > now() - make_interval(secs =>
             case when jsonb_path_exists(prices, '$.*.price ? (@ == null)') then $2::int else $1::int end)
             and not exists (
               select from chain_token token join chain offering on offering.id = token.chain_ref
                where offering.active and token.enabled and offering.environment = chain.environment
                  and price_round.prices -> token.symbol is null))`,
      [SNAPSHOT_EVERY_SECONDS, SNAPSHOT_AGAIN_SECONDS],
    );
    for (const { environment } of rows) await this.takeSnapshot(environment);
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
    await this.database.query(`insert into price_round (id, environment, prices, created_at) values ($1, $2, $3, $4)`, [
      newId('prd_'),
      environment,
      JSON.stringify(prices.verdicts),
      prices.at,
    ]);
    this.watch.snapshotTaken(environment, prices);
  }

  /** Deletes snapshots that no quote refers to and that are older than 30 days. */
  @RecurringJob({ role: 'worker', every: 600_000, leader: 'scheduler' })
  async prune(): Promise<void> {
    await this.database.query(
      // Naming the environments lets the index find the old ones.
      `delete from price_round where id in (
         select id from price_round round where environment = any($2) and created_at < now() - $1::interval
            and not exists (select from payment_intent where price_round_id = round.id) limit 1000)`,
      [SNAPSHOTS_KEPT, ENVIRONMENTS],
    );
  }
}
