import type { RefundWaitingReason } from '../../suspense/refunds/refund-standing.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { CONTRACT_TROUBLES } from '../../treasury/sweeps/sweep-contract.entity.js';
import type { SweepState } from '../../treasury/sweeps/sweep-reader.service.js';
import type { HotWalletView } from '../../treasury/wallets/hot-wallet-reader.service.js';
import { isOverdue, type StandingCount } from '../../treasury/transactions/payment-standing.js';
import type { RefusedReplacement } from '../../treasury/transactions/replacement-refusal.js';
import type { UntakenTransaction } from '../../treasury/transactions/untaken-transactions.js';
import type { VaultSeen } from '../../vault-status/vault-heartbeat.service.js';
import type { openTransactions } from './payout-health.sql.js';

const MINUTE = 60;

/** Outgoing transactions of a chain that are not final. */
export interface OpenTransactions extends Omit<RowOf<typeof openTransactions>, 'oldest'> {
  /** Seconds since the oldest was signed. */
  readonly oldestSeconds: number;
}

/** The state of all outgoing payments. */
export interface PayoutHealth {
  readonly vault: VaultSeen;
  readonly standings: readonly StandingCount[];
  readonly refunds: readonly StandingCount<RefundWaitingReason>[];
  readonly transactions: readonly OpenTransactions[];
  readonly wallets: readonly HotWalletView[];
  readonly sweeps: readonly SweepState[];
  readonly frozenMerchants: number;
  readonly refusals: readonly RefusedReplacement[];
  readonly untaken: readonly UntakenTransaction[];
}

export type PayoutTroubleCode =
  | 'vault_sealed'
  | 'wallet_frozen'
  | 'merchants_frozen'
  | 'not_replaced'
  | 'not_taken'
  | 'low_on_gas'
  | 'no_sweeps'
  | 'sweeps_set_aside'
  | 'waits_long'
  | 'ends_late'
  | 'refund_waits_long'
  | 'refund_ends_late';

/** A problem that stops payouts, or soon will. */
export interface PayoutTrouble {
  readonly code: PayoutTroubleCode;
  /** The chain; null when it is about all of them. */
  readonly chainRef: string | null;
  /** One sentence that contains no secret. */
  readonly sentence: string;
}

/** Returns the problems, the worst first. */
export function troublesOf(state: PayoutHealth): PayoutTrouble[] {
  const { vault, standings, refunds, wallets, sweeps, frozenMerchants, refusals, untaken } = state;
  return [
    ...(vault.isOpen ? [] : [trouble('vault_sealed', 'No process holds an open vault: withdrawals wait.')]),
    ...wallets
      .filter(({ frozenReason }) => frozenReason !== null)
      .map(({ chainRef }) => trouble('wallet_frozen', 'Signing is frozen: withdrawals wait.', chainRef)),
    ...(frozenMerchants === 0
      ? []
      : [trouble('merchants_frozen', `Withdrawals are frozen for merchants: ${frozenMerchants}.`)]),
    ...[...Map.groupBy(refusals, ({ chainRef }) => chainRef)].map(([chainRef, { length }]) =>
      trouble(
        'not_replaced',
        `Stuck transactions that cannot be replaced with a higher fee: ${length}. Later ones wait behind them.`,
        chainRef,
      ),
    ),
    ...untaken.map(({ chainRef, seconds }) =>
      trouble(
        'not_taken',
        `No node has accepted the next transaction for ${minutes(seconds)}. Later ones wait behind it.`,
        chainRef,
      ),
    ),
    ...wallets
      .filter(({ isLowOnGas }) => isLowOnGas)
      .map(({ chainRef, gasPayments }) =>
        trouble('low_on_gas', `The hot wallet pays for the gas of ${gasPayments} more payments.`, chainRef),
      ),
    ...sweeps.flatMap(({ chainRef, trouble: code }) =>
      code === null ? [] : [trouble('no_sweeps', `Nothing can be swept. ${CONTRACT_TROUBLES[code]}`, chainRef)],
    ),
    ...sweeps
      .filter(({ setAside }) => setAside > 0)
      .map(({ chainRef, setAside }) =>
        trouble('sweeps_set_aside', `Balances that could not be swept are set aside: ${setAside}.`, chainRef),
      ),
    ...overdueOf(standings, { noun: 'withdrawal', waits: 'waits_long', ends: 'ends_late' }),
    ...overdueOf(refunds, { noun: 'refund', waits: 'refund_waits_long', ends: 'refund_ends_late' }),
  ];
}

interface OverdueNames {
  readonly noun: string;
  readonly waits: PayoutTroubleCode;
  readonly ends: PayoutTroubleCode;
}

/** Returns the payments that wait for too long, then those that were signed and are not final in time. */
function overdueOf(standings: readonly StandingCount<string>[], { noun, waits, ends }: OverdueNames): PayoutTrouble[] {
  const overdue = standings.filter(({ standing, oldestSeconds }) => isOverdue(standing, oldestSeconds));
  const late = overdue.filter(({ standing }) => standing === 'not_final');
  const waiting = overdue.filter(({ standing }) => standing !== 'not_final');
  return [
    ...waiting.map(({ standing, oldestSeconds }) =>
      trouble(waits, `A ${noun} has been waiting for ${minutes(oldestSeconds)} (${standing}).`),
    ),
    ...late.map(({ oldestSeconds }) =>
      trouble(ends, `A ${noun} was signed ${minutes(oldestSeconds)} ago and is not final.`),
    ),
  ];
}

const trouble = (code: PayoutTroubleCode, sentence: string, chainRef: string | null = null): PayoutTrouble => ({
  code,
  chainRef,
  sentence,
});

const minutes = (seconds: number): string => `${Math.floor(seconds / MINUTE)} minutes`;
