import { Inject, Injectable } from '@nestjs/common';
import type { Environment } from '../domain/network.js';
import { fixedVerdict, type PriceVerdict } from '../domain/price-verdict.js';
import { CONFIG, type Config } from '../platform/config.js';
import { Database } from '../platform/database/database.js';
import { fixedPrice } from './fixed-prices.js';
import { ConfiguredSources } from './configured-sources.js';
import { verdictsOn } from './price-verdicts.js';
import { askSources, type Clock, type SourceReport } from './ask-sources.js';

/** The current answers of the sources, and the prices that follow. */
export interface MarketPrices {
  /** When the first source was asked. */
  readonly at: Date;
  /** Empty where prices are fixed. */
  readonly reports: readonly SourceReport[];
  /** By token. */
  readonly verdicts: Readonly<Record<string, PriceVerdict>>;
}

/** Prices the tokens on offer. */
@Injectable()
export class PriceMarket {
  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly sources: ConfiguredSources,
  ) {}

  /**
   * Asks every source about every token on offer in an environment. Returns null for live where fixed prices are
   * configured: a process without the configuration of live networks must not price live intents with them.
   */
  async price(environment: Environment): Promise<MarketPrices | null> {
    const isFixed = this.config.priceSources.includes('fixed');
    if (isFixed && environment === 'live') return null;
    const tokens = await this.tokensOnOffer(environment);
    const startedMs = await this.databaseTime();
    const at = new Date(startedMs);
    const clock = clockFrom(startedMs);
    if (isFixed) {
      const verdicts = tokens.map((token) => [token, fixedVerdict(fixedPrice(token), clock())] as const);
      return { at, reports: [], verdicts: Object.fromEntries(verdicts) };
    }
    const reports = await askSources(this.sources.of(environment), tokens, clock);
    return { at, reports, verdicts: verdictsOn(tokens, reports, clock()) };
  }

  async close(): Promise<void> {
    await this.sources.close();
  }

  private async tokensOnOffer(environment: Environment): Promise<string[]> {
    const rows = await this.database.query<{ symbol: string }>(
      `select distinct symbol from chain_token join chain on chain.id = chain_token.chain_ref
        where chain.active and chain_token.enabled and chain.environment = $1 order by symbol`,
      [environment],
    );
    return rows.map(({ symbol }) => symbol);
  }

  /** Milliseconds since 1970. */
  private async databaseTime(): Promise<number> {
    const [row] = await this.database.query<{ ms: string }>(
      `select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms`,
    );
    return Number(row?.ms);
  }
}

/** The database's time, continued at our own clock's pace. */
function clockFrom(databaseMs: number): Clock {
  const startedMs = performance.now();
  return () => databaseMs + Math.round(performance.now() - startedMs);
}
