import { Inject, Injectable } from '@nestjs/common';
import { newId } from '../domain/ids.js';
import type { Environment } from '../domain/network.js';
import { parsePrice } from '../domain/quote.js';
import { CONFIG, type Config } from '../platform/config.js';
import { Database } from '../platform/database/database.js';
import type { PriceVerdict } from './price-round.entity.js';
import { type PriceSource, fixedPrices, noPrices } from './price-source.js';

/** Well below the age at which a price is no price any more. */
const ROUND_EVERY_SECONDS = 20;

const ROUNDS_KEPT = '30 days';

/** Takes price rounds. One process does: the leader of the recurring duties. */
@Injectable()
export class PriceRounds {
  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Takes a round for every environment that has chains and whose newest round has aged. */
  async takeDue(): Promise<void> {
    const rows = await this.database.query<{ environment: Environment }>(
      `select distinct environment from chain
        where active and not exists (
          select from price_round
           where environment = chain.environment and created_at > now() - make_interval(secs => $1))`,
      [ROUND_EVERY_SECONDS],
    );
    for (const { environment } of rows) await this.takeRound(environment);
  }

  /** Asks every source about every token on offer and stores the outcome as a round. */
  private async takeRound(environment: Environment): Promise<void> {
    if (this.sources(environment).length === 0) return;
    const tokens = await this.database.query<{ symbol: string }>(
      `select distinct symbol from chain_token join chain on chain.id = chain_token.chain_ref
        where chain.active and chain.environment = $1 order by symbol`,
      [environment],
    );
    const verdicts = await Promise.all(
      tokens.map(async ({ symbol }) => [symbol, await this.verdictOn(environment, symbol)] as const),
    );
    await this.database.query(`insert into price_round (id, environment, prices) values ($1, $2, $3)`, [
      newId('prd_'),
      environment,
      JSON.stringify(Object.fromEntries(verdicts)),
    ]);
  }

  /** Forgets rounds that no quote refers to and that are older than 30 days. */
  async prune(): Promise<void> {
    await this.database.query(
      `delete from price_round where id in (
         select id from price_round round where created_at < now() - $1::interval
            and not exists (select from payment_intent where price_round_id = round.id) limit 1000)`,
      [ROUNDS_KEPT],
    );
  }

  /** The first source that gives a usable price decides; with one configured source that is all there is to decide. */
  private async verdictOn(environment: Environment, token: string): Promise<PriceVerdict> {
    const at = new Date().toISOString();
    const quotes = await Promise.all(this.sources(environment).map((source) => source.quote(token)));
    const price = quotes.find((quote) => quote.price !== null && parsePrice(quote.price) !== null)?.price ?? null;
    return { price, sources: quotes.map((quote) => ({ ...quote, at })) };
  }

  /** Fixed prices are for play: a process that was not told of live networks must not price live intents with them. */
  private sources(environment: Environment): readonly PriceSource[] {
    return this.config.priceSources
      .filter((name) => name !== 'fixed' || environment === 'sandbox')
      .map((name) => (name === 'fixed' ? fixedPrices : noPrices));
  }
}
