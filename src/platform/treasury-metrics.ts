import { Gauge, type Registry } from 'prom-client';

/** What the hot wallets hold. */
export class TreasuryMetrics {
  private readonly hotBalance: Gauge<'chain' | 'token'>;

  constructor(registry: Registry) {
    this.hotBalance = new Gauge({
      name: 'coffer_hot_wallet_minor_units',
      help: "What a hot wallet holds at the newest final block, in the token's minor units (cents, or 8 digits of a coin).",
      labelNames: ['chain', 'token'],
      registers: [registry],
    });
  }

  setHotBalance(chain: string, token: string, minorUnits: number): void {
    this.hotBalance.set({ chain, token }, minorUnits);
  }
}
