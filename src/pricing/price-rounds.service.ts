import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { newId } from '../domain/ids.js';
import { ENVIRONMENTS, type Environment } from '../domain/network.js';
import { Database } from '../platform/database/database.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { PriceMarket } from './price-market.service.js';
import { PriceWatch } from './price-watch.js';

/** Well below the age at which a price is no price any more. */
const ROUND_EVERY_SECONDS = 20;
/** When a price is missing: callers were told to come back after so long. */
const ROUND_AGAIN_SECONDS = 10;

const ROUNDS_KEPT = '30 days';

/** Takes price rounds. One process does: the leader of the recurring duties. */
@Injectable()
export class PriceRounds implements BeforeApplicationShutdown {
  private isClosing = false;

  constructor(
    private readonly database: Database,
    private readonly market: PriceMarket,
    private readonly watch: PriceWatch,
  ) {}

  /**
   * Takes a round for every environment that has chains and whose newest round has aged, or lacks a token on offer: chains
   * register one after the other, and none of their tokens shall wait for the next round.
   */
  @RecurringJob({ role: 'worker', every: 1_000, leader: 'scheduler', atElection: true })
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
      [ROUND_EVERY_SECONDS, ROUND_AGAIN_SECONDS],
    );
    for (const { environment } of rows) await this.takeRound(environment);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    await this.market.close();
  }

  /**
   * Stores what the market says as a round. It is dated at its beginning: a leader that was paused in between stores an
   * old round, never old prices as a new one.
   */
  private async takeRound(environment: Environment): Promise<void> {
    const look = await this.market.look(environment);
    // Sources that were cut off by our own end said nothing about prices: such a round would keep others from quoting.
    if (look === null || this.isClosing) return;
    await this.database.query(`insert into price_round (id, environment, prices, created_at) values ($1, $2, $3, $4)`, [
      newId('prd_'),
      environment,
      JSON.stringify(look.verdicts),
      look.at,
    ]);
    this.watch.roundTaken(environment, look);
  }

  /** Forgets rounds that no quote refers to and that are older than 30 days. */
  @RecurringJob({ role: 'worker', every: 600_000, leader: 'scheduler' })
  async prune(): Promise<void> {
    await this.database.query(
      // Naming the environments lets the index find the old ones.
      `delete from price_round where id in (
         select id from price_round round where environment = any($2) and created_at < now() - $1::interval
            and not exists (select from payment_intent where price_round_id = round.id) limit 1000)`,
      [ROUNDS_KEPT, ENVIRONMENTS],
    );
  }
}
