import type { PaymentConditions, PlannedPayment } from './expiring.js';
import type { SignedBytes } from './expiring-transaction.js';
import type { StakeMove } from './stake-move.js';

/** Coins that were taken back from a stake, and cannot be withdrawn before a time. */
export interface LeavingStake {
  /** Smallest units. */
  readonly amount: bigint;
  readonly dueAt: Date;
}

/** What an address has staked for energy, in smallest units as of the newest final block. */
export interface StakeState {
  /** Its energy is not lent, and it can be taken back. */
  readonly staked: bigint;
  readonly lent: bigint;
  /** Of all resources: what is not due yet, and what is. */
  readonly leaving: readonly LeavingStake[];
  readonly due: bigint;
}

/** Reads stakes through one node. It may throw `ChainUnavailable`. */
export interface StakeClient {
  stakeOf(owner: string): Promise<StakeState>;
}

/** Plans and checks transactions that stake coins, on a chain that has such a thing. It asks no node. */
export interface Staker {
  /** The least stake that the chain takes, in smallest units. */
  readonly least: bigint;
  /** How many stakes can be on their way back at once. */
  readonly leavingMax: number;
  /** Returns the transaction. Two plans with different sequence numbers have different ids. */
  plan(move: StakeMove, sequence: number, at: PaymentConditions): PlannedPayment;
  /** Does for it what `ExpiringPayer.check` does for a payment. @throws SignedMismatch */
  check(signed: SignedBytes, planned: PlannedPayment, move: StakeMove): void;
}
