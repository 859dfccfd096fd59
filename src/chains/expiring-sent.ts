import type { BlockRef } from './chain.js';
import type { EnergyMove } from './energy-move.js';
import type { StakeMove } from './stake-move.js';

/** A payment by signed bytes, as the vault signs those of an order. */
export interface SentPayment {
  readonly kind: 'payment';
  /** Key of the token's contract; `NATIVE_COIN` for the chain's own coin. */
  readonly token: string;
  /** Key of the destination. */
  readonly recipient: string;
  /** Smallest units. */
  readonly amount: bigint;
}

/** A balance that the signed bytes of a sweep move. */
export interface SentSweepItem {
  readonly owner: string;
  readonly token: string;
  /** The account of the owner that it empties; null for the one that belongs to the token. */
  readonly account: string | null;
  /** Smallest units. */
  readonly amount: bigint;
  /** Whether it opens the hot wallet's account of the token first, and closes its own afterwards. */
  readonly opensAccount: boolean;
  readonly closesAccount: boolean;
}

/** A sweep by signed bytes, as the vault signs it, with its items in their order. */
export interface SentSweep {
  readonly kind: 'sweep';
  readonly items: readonly SentSweepItem[];
}

/** Energy that signed bytes lend or take back, as the vault signs it for a sweep. */
export interface SentEnergy {
  readonly kind: 'energy';
  readonly move: EnergyMove['kind'];
  /** Key of the address that has the energy. */
  readonly borrower: string;
  /** Staked coins in smallest units. */
  readonly stake: bigint;
}

/** What signed bytes do with the stake of their sender, as the vault signs it for an order. */
export interface SentStake {
  readonly kind: 'stake';
  readonly move: StakeMove['kind'];
  /** As `StakeMove.amount`. */
  readonly amount: bigint;
}

/** What signed bytes do. `other`: nothing that a vault signs for an order. */
export type SentAction = SentPayment | SentSweep | SentEnergy | SentStake | { readonly kind: 'other' };

/** The signed bytes of a transaction in a final block. Its id and its sender are proven by their signature. */
export interface SentBytes {
  readonly txHash: string;
  /** As nodes take them. */
  readonly raw: string;
  /** Key of the address that paid the fee. */
  readonly sender: string;
  /** What was signed, as JSON. */
  readonly fields: string;
  /** The limit of units of the chain's machine, and the price of one, as `SignedVersion` has them. */
  readonly unitLimit: bigint;
  readonly unitPrice: bigint;
  /** As `Expiry`, but with the place of the block before its own: it is not in that one or below. */
  readonly expiry: { readonly after: BlockRef; readonly until: number };
  readonly action: SentAction;
}

/** Reads what addresses have sent, through one node. Every method may throw `ChainUnavailable`. */
export interface SentReader {
  /** Returns the bytes of a transaction in a final block; null when the node has none. `unreadable`: of another form. */
  sentBytesOf(txHash: string): Promise<SentBytes | 'unreadable' | null>;
}
