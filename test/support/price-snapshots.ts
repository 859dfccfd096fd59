import { parseConfig } from '../../src/platform/config.js';
import type { Database } from '../../src/platform/database/database.js';
import { createLogger } from '../../src/platform/logging.js';
import { Metrics } from '../../src/platform/metrics.js';
import { PriceMarket } from '../../src/pricing/price-market.service.js';
import { PriceSnapshots } from '../../src/pricing/price-snapshots.service.js';
import { ConfiguredSources } from '../../src/pricing/configured-sources.js';
import { PriceWatch } from '../../src/pricing/price-watch.js';
import { PricingService } from '../../src/pricing/pricing.service.js';
import { LogLines } from './log-lines.js';

/** Takes price snapshots as a process with these environment variables does, with its log and metrics. */
export interface PriceRig {
  readonly snapshots: PriceSnapshots;
  readonly watch: PriceWatch;
  readonly metrics: Metrics;
  readonly log: LogLines;
}

export function priceRigOf(database: Database, env: Readonly<Record<string, string>>): PriceRig {
  const config = parseConfig(env);
  const log = new LogLines();
  const metrics = new Metrics();
  const watch = new PriceWatch(new PricingService(database), metrics, createLogger('info', { destination: log }));
  const market = new PriceMarket(database, config, new ConfiguredSources(config));
  return { snapshots: new PriceSnapshots(database, market, watch), watch, metrics, log };
}
