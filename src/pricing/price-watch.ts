import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Environment } from '../domain/network.js';
import { isOffPeg, type PriceVerdict, priceRuleOf } from '../domain/price-verdict.js';
import { LOGGER } from '../platform/logging.js';
import { Metrics } from '../platform/metrics.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import type { SourceReport } from './ask-sources.js';
import type { MarketPrices } from './price-market.service.js';
import { PricingService } from './pricing.service.js';

/** Logs problems of sources and prices: once when they begin, once when they are over. */
@Injectable()
export class PriceWatch {
  /** The current problems. */
  private readonly troubles = new Set<string>();

  constructor(
    private readonly pricing: PricingService,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Every worker measures the newest snapshots, not only the one that takes them. */
  @RecurringJob({ role: 'worker', every: 10_000 })
  async measure(): Promise<void> {
    for (const { environment, ageSeconds, prices } of await this.pricing.states()) {
      if (ageSeconds !== null) this.metrics.prices.setSnapshotAge(environment, ageSeconds);
      for (const [token, price] of prices) {
        this.metrics.prices.setMissing(environment, token, price === null);
        if (price !== null && priceRuleOf(token).isPegged) {
          this.metrics.prices.setOffPeg(environment, token, isOffPeg(token, price));
        }
      }
    }
  }

  /** Logs what changed with this snapshot. */
  snapshotTaken(environment: Environment, { reports, verdicts }: MarketPrices): void {
    for (const report of reports) this.reportSource(environment, report);
    for (const [token, verdict] of Object.entries(verdicts)) this.reportPrice(environment, token, verdict);
  }

  private reportSource(environment: Environment, { source, fault }: SourceReport): void {
    const facts = { environment, source };
    if (fault !== null) this.metrics.prices.sourceFailed(source, fault.reason);
    const turn = this.turnOf(`source ${environment} ${source}`, fault !== null);
    if (turn === 'begun')
      this.logger.warn({ ...facts, reason: fault?.reason, err: fault }, 'A price source does not answer.');
    if (turn === 'over') this.logger.info(facts, 'A price source answers again.');
  }

  private reportPrice(environment: Environment, token: string, { price, code, sources }: PriceVerdict): void {
    const turn = this.turnOf(`price ${environment} ${token}`, price === null);
    if (turn === 'begun') {
      const said = sources.map(({ source, value, reason }) => ({ source, value, reason }));
      this.logger.error({ environment, token, verdict: code, sources: said }, 'A token has no price.');
    }
    if (turn === 'over') this.logger.info({ environment, token, price }, 'A token has a price again.');
    if (price === null) return;
    const facts = { environment, token, price };
    const peg = this.turnOf(`peg ${environment} ${token}`, isOffPeg(token, price));
    if (peg === 'begun') this.logger.error(facts, 'A stablecoin is not worth one dollar: quotes follow its price.');
    if (peg === 'over') this.logger.info(facts, 'A stablecoin is worth one dollar again.');
  }

  /** Returns whether a problem has just begun or is just over; null when nothing changed. */
  private turnOf(trouble: string, isThere: boolean): 'begun' | 'over' | null {
    if (isThere === this.troubles.has(trouble)) return null;
    if (isThere) this.troubles.add(trouble);
    else this.troubles.delete(trouble);
    return isThere ? 'begun' : 'over';
  }
}
