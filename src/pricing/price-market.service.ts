import { Inject, Injectable } from '@nestjs/common';
import type { Environment } from '../domain/network.js';
import { fixedVerdict, type PriceVerdict } from '../domain/price-verdict.js';
import { CONFIG, type Config } from '../platform/config.js';
import { Database } from '../platform/database/database.js';
import { fixedPrice } from './fixed-prices.js';
import { ConfiguredSources } from './configured-sources.js';
import { databaseTime, tokensOnOffer } from './price-snapshots.sql.js';
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
    const tokens = (await this.database.rows(tokensOnOffer(environment))).map(({ symbol }) => symbol);
    const [now] = await this.database.rows(databaseTime);
    const startedMs = Number(now?.ms);
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
}

/** The database's time, continued at our own clock's pace. */
function clockFrom(databaseMs: number): Clock {
  const startedMs = performance.now();
  return () => databaseMs + Math.round(performance.now() - startedMs);
}
