import { Gauge, type Registry } from 'prom-client';

/** Deposits that are held the same way, such as `suspense`. */
export interface HoldingCount {
  readonly heldAs: string;
  readonly count: number;
  readonly oldestSeconds: number;
}

/** Final deposits that are in no pocket, and final deposits that a reorg removed. */
export class DepositMetrics {
  private readonly held: Gauge<'held_as'>;
  private readonly heldOldest: Gauge<'held_as'>;
  private readonly unbooked: Gauge;
  private readonly gone: Gauge<'chain'>;
  private readonly unexplained: Gauge<'chain'>;

  constructor(registry: Registry) {
    this.held = new Gauge({
      name: 'coffer_deposits_held',
      help: 'Final deposits in no pocket: in suspense, frozen because their sender is listed, kept by staff, or being refunded.',
      labelNames: ['held_as'],
      registers: [registry],
    });
    this.heldOldest = new Gauge({
      name: 'coffer_deposits_held_oldest_seconds',
      help: 'Time since the oldest of them was booked.',
      labelNames: ['held_as'],
      registers: [registry],
    });
    this.unbooked = new Gauge({
      name: 'coffer_deposits_unbooked',
      help: 'Deposits that belong to no intent, were final a minute ago, and are not in the ledger.',
      registers: [registry],
    });
    this.gone = new Gauge({
      name: 'coffer_deposits_gone',
      help: 'Deposits that were final, were removed from the chain, and are still in the ledger.',
      labelNames: ['chain'],
      registers: [registry],
    });
    this.unexplained = new Gauge({
      name: 'coffer_balances_unexplained',
      help: 'Accounts of ours that have held more than the books say for a minute, and no transaction explains it.',
      labelNames: ['chain'],
      registers: [registry],
    });
  }

  /** All of them at once, by chain: accounts whose balance no transaction explains. */
  setUnexplained(all: ReadonlyMap<string, number>): void {
    this.unexplained.reset();
    for (const [chain, count] of all) this.unexplained.set({ chain }, count);
  }

  /** All of them at once: what holds nothing has no series. */
  setHoldings(all: readonly HoldingCount[]): void {
    this.held.reset();
    this.heldOldest.reset();
    for (const { heldAs, count, oldestSeconds } of all) {
      this.held.set({ held_as: heldAs }, count);
      this.heldOldest.set({ held_as: heldAs }, oldestSeconds);
    }
  }

  setUnbooked(count: number): void {
    this.unbooked.set(count);
  }

  /** All of them at once, by chain. */
  setReorged(all: ReadonlyMap<string, number>): void {
    this.gone.reset();
    for (const [chain, count] of all) this.gone.set({ chain }, count);
  }
}
