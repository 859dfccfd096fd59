import { parseConfig } from '../../src/platform/config.js';
import type { Database } from '../../src/platform/database/database.js';
import { createLogger } from '../../src/platform/logging.js';
import { Metrics } from '../../src/platform/metrics.js';
import { PriceMarket } from '../../src/pricing/price-market.service.js';
import { PriceRounds } from '../../src/pricing/price-rounds.service.js';
import { PriceSources } from '../../src/pricing/price-sources.js';
import { PriceWatch } from '../../src/pricing/price-watch.js';
import { PricingService } from '../../src/pricing/pricing.service.js';
import { LogLines } from './log-lines.js';

/** What takes price rounds in a process with these environment variables, with what it logs and measures. */
export interface PriceRig {
  readonly rounds: PriceRounds;
  readonly watch: PriceWatch;
  readonly metrics: Metrics;
  readonly log: LogLines;
}

export function roundsOf(database: Database, env: Readonly<Record<string, string>>): PriceRig {
  const config = parseConfig(env);
  const log = new LogLines();
  const metrics = new Metrics();
  const watch = new PriceWatch(new PricingService(database), metrics, createLogger('info', { destination: log }));
  const market = new PriceMarket(database, config, new PriceSources(config));
  return { rounds: new PriceRounds(database, market, watch), watch, metrics, log };
}
