import { Counter, Gauge, type Registry } from 'prom-client';

/** Withdrawals or refunds with the same standing, such as `coins_missing`. */
export interface WaitingPayments {
  readonly standing: string;
  readonly count: number;
  readonly oldestSeconds: number;
}

/** The outgoing transactions of a chain that are not final. */
export interface WaitingTransactions {
  readonly chainRef: string;
  readonly count: number;
  readonly oldestSeconds: number;
}

/** A hot wallet that is in use. */
export interface MeasuredWallet {
  readonly chainRef: string;
  readonly frozenReason: string | null;
  readonly gasPayments: number | null;
}

/** The outcome of one balance of a final sweep. */
export type SweepItemOutcome = 'swept' | 'failed' | 'untried';

/** Sweeps of a chain. */
export interface MeasuredSweeps {
  readonly chainRef: string;
  readonly open: number;
  readonly setAside: number;
  readonly isFull: boolean;
}

/** Makes gauges in a registry. */
const gaugesIn =
  (registry: Registry) =>
  <Label extends string = never>(name: string, help: string, labelNames: Label[] = []): Gauge<Label> =>
    new Gauge<Label>({ name, help, labelNames, registers: [registry] });
type MakeGauge = ReturnType<typeof gaugesIn>;

const walletGauges = (gauge: MakeGauge) => ({
  hotBalance: gauge(
    'coffer_hot_wallet_minor_units',
    "Balance of a hot wallet at the newest final block, in the token's minor units (cents, or 8 digits of a coin).",
    ['chain', 'token'],
  ),
  gasPayments: gauge(
    'coffer_hot_wallet_gas_payments',
    'Token payments whose gas a hot wallet can pay at the newest gas prices.',
    ['chain'],
  ),
  short: gauge('coffer_hot_wallet_short', '1 while a hot wallet holds less of a token than the ledger says, else 0.', [
    'chain',
    'token',
  ]),
  comparedAge: gauge(
    'coffer_hot_wallet_compared_age_seconds',
    'Time since the balance of a hot wallet was compared with the ledger, while there are newer blocks.',
    ['chain', 'token'],
  ),
  frozen: gauge('coffer_hot_wallet_frozen', '1 while signing on the chain is frozen, else 0.', ['chain']),
  full: gauge('coffer_hot_wallet_full', '1 while the hot wallet has reached its cap, or prices are missing, else 0.', [
    'chain',
  ]),
});

const paymentGauges = (gauge: MakeGauge) => ({
  waiting: gauge('coffer_withdrawals_waiting', 'Withdrawals that have not ended, by the reason for their wait.', [
    'reason',
  ]),
  waitingOldest: gauge(
    'coffer_withdrawals_oldest_seconds',
    'Time since the oldest of them was ordered, released by the rule that delayed it, or signed.',
    ['reason'],
  ),
  refunds: gauge(
    'coffer_returns_waiting',
    'Refunds of unattributed deposits that have not ended, by the reason for their wait.',
    ['reason'],
  ),
  refundsOldest: gauge(
    'coffer_returns_oldest_seconds',
    'Time since the oldest of them was ordered, or signed when it is signed.',
    ['reason'],
  ),
  transactions: gauge('coffer_transactions_open', 'Outgoing transactions that are not final.', ['chain']),
  transactionOldest: gauge('coffer_transactions_oldest_seconds', 'Time since the oldest of them was signed.', [
    'chain',
  ]),
  untaken: gauge(
    'coffer_transactions_not_taken_seconds',
    'Time since the next outgoing transaction was signed, when no node has accepted it for minutes.',
    ['chain'],
  ),
});

/** Metrics of outgoing money: hot wallets, waiting payments and transactions, sweeps. */
export class TreasuryMetrics {
  private readonly wallets: ReturnType<typeof walletGauges>;
  private readonly payments: ReturnType<typeof paymentGauges>;
  private readonly vaultOpen: Gauge;
  private readonly sweepsOpen: Gauge<'chain'>;
  private readonly sweepsSetAside: Gauge<'chain'>;
  private readonly sweepItems: Counter<'chain' | 'outcome'>;
  private readonly sanctionsListAge: Gauge;

  constructor(registry: Registry) {
    const gauge = gaugesIn(registry);
    this.wallets = walletGauges(gauge);
    this.payments = paymentGauges(gauge);
    this.vaultOpen = gauge('coffer_vault_open', '1 while a process has an open vault, else 0.');
    this.sweepsOpen = gauge('coffer_sweeps_open', 'Sweeps that are not final.', ['chain']);
    this.sweepsSetAside = gauge(
      'coffer_sweep_balances_set_aside',
      'Balances on deposit addresses that could not be swept and need an operator.',
      ['chain'],
    );
    this.sweepItems = new Counter({
      name: 'coffer_sweep_items_total',
      help: 'Items of final sweeps: swept, failed, or not tried because the transaction failed or ran out of gas.',
      labelNames: ['chain', 'outcome'],
      registers: [registry],
    });
    this.sanctionsListAge = gauge('coffer_sanctions_list_age_days', 'Days since the sanctions list was published.');
    // Gauges without labels would show 0 in a process that does not measure them.
    this.vaultOpen.remove();
    this.sanctionsListAge.remove();
  }

  setHotBalance(chain: string, token: string, minorUnits: number): void {
    this.wallets.hotBalance.set({ chain, token }, minorUnits);
  }

  setShort(chain: string, token: string, isShort: boolean): void {
    this.wallets.short.set({ chain, token }, isShort ? 1 : 0);
  }

  setComparedAge(chain: string, token: string, seconds: number): void {
    this.wallets.comparedAge.set({ chain, token }, seconds);
  }

  /** Replaces all series; a wallet whose gas payments are unknown has none for them. */
  setWallets(wallets: readonly MeasuredWallet[]): void {
    this.wallets.frozen.reset();
    this.wallets.gasPayments.reset();
    for (const { chainRef: chain, frozenReason, gasPayments } of wallets) {
      this.wallets.frozen.set({ chain }, frozenReason === null ? 0 : 1);
      if (gasPayments !== null) this.wallets.gasPayments.set({ chain }, gasPayments);
    }
  }

  setVaultOpen(isOpen: boolean): void {
    this.vaultOpen.set(isOpen ? 1 : 0);
  }

  /** Replaces all series: a reason without withdrawals has none. */
  setWaiting(all: readonly WaitingPayments[]): void {
    reportWaiting(this.payments.waiting, this.payments.waitingOldest, all);
  }

  /** Replaces all series. */
  setRefunds(all: readonly WaitingPayments[]): void {
    reportWaiting(this.payments.refunds, this.payments.refundsOldest, all);
  }

  /** Replaces all series. */
  setTransactions(all: readonly WaitingTransactions[]): void {
    this.payments.transactions.reset();
    this.payments.transactionOldest.reset();
    for (const { chainRef: chain, count, oldestSeconds } of all) {
      this.payments.transactions.set({ chain }, count);
      this.payments.transactionOldest.set({ chain }, oldestSeconds);
    }
  }

  /** Replaces all series: a chain whose next transaction was accepted has none. */
  setUntaken(all: readonly { readonly chainRef: string; readonly seconds: number }[]): void {
    this.payments.untaken.reset();
    for (const { chainRef: chain, seconds } of all) this.payments.untaken.set({ chain }, seconds);
  }

  /** Replaces all series. */
  setSweeps(all: readonly MeasuredSweeps[]): void {
    this.sweepsOpen.reset();
    this.sweepsSetAside.reset();
    this.wallets.full.reset();
    for (const { chainRef: chain, open, setAside, isFull } of all) {
      this.wallets.full.set({ chain }, isFull ? 1 : 0);
      this.sweepsOpen.set({ chain }, open);
      this.sweepsSetAside.set({ chain }, setAside);
    }
  }

  /** Counts the items of a final sweep. */
  countSweepItems(chain: string, items: Readonly<Record<SweepItemOutcome, number>>): void {
    for (const [outcome, count] of Object.entries(items)) this.sweepItems.inc({ chain, outcome }, count);
  }

  setSanctionsListAge(days: number): void {
    this.sanctionsListAge.set(days);
  }
}

function reportWaiting(counts: Gauge<'reason'>, oldest: Gauge<'reason'>, all: readonly WaitingPayments[]): void {
  counts.reset();
  oldest.reset();
  for (const { standing: reason, count, oldestSeconds } of all) {
    counts.set({ reason }, count);
    oldest.set({ reason }, oldestSeconds);
  }
}
