import { Counter, Gauge, type Registry } from 'prom-client';

/** Metrics of prices: their age, missing prices, and failed sources. */
export class PriceMetrics {
  private readonly roundAge: Gauge<'environment'>;
  private readonly missing: Gauge<'environment' | 'token'>;
  private readonly offPeg: Gauge<'environment' | 'token'>;
  private readonly silences: Counter<'source' | 'reason'>;

  constructor(registry: Registry) {
    this.roundAge = new Gauge({
      name: 'coffer_price_round_age_seconds',
      help: 'Age of the newest price snapshot; quotes stop at 60.',
      labelNames: ['environment'],
      registers: [registry],
    });
    this.missing = new Gauge({
      name: 'coffer_price_missing',
      help: '1 while the newest price snapshot has no price of the token, else 0.',
      labelNames: ['environment', 'token'],
      registers: [registry],
    });
    this.offPeg = new Gauge({
      name: 'coffer_stablecoin_off_peg',
      help: '1 while the price of a stablecoin is outside of 0.99 to 1.01 USD, else 0.',
      labelNames: ['environment', 'token'],
      registers: [registry],
    });
    this.silences = new Counter({
      name: 'coffer_price_source_failures_total',
      help: 'Price snapshots in which a price source had no answer.',
      labelNames: ['source', 'reason'],
      registers: [registry],
    });
  }

  setSnapshotAge(environment: string, seconds: number): void {
    this.roundAge.set({ environment }, seconds);
  }

  setMissing(environment: string, token: string, isMissing: boolean): void {
    this.missing.set({ environment, token }, isMissing ? 1 : 0);
  }

  setOffPeg(environment: string, token: string, isOffPeg: boolean): void {
    this.offPeg.set({ environment, token }, isOffPeg ? 1 : 0);
  }

  sourceFailed(source: string, reason: string): void {
    this.silences.inc({ source, reason });
  }
}
