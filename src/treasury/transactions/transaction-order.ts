import type { EnergyMove } from '../../chains/energy-move.js';
import type { StakeMove } from '../../chains/stake-move.js';
import type { SweepSource } from '../../chains/expiring-sweeps.js';

/**
 * The purpose of an outgoing transaction. A `funding` brings a deposit address what its sweep costs; an `energy_loan` lends it
 * energy for it, and an `energy_return` takes that back. A `stake` changes what gives that energy. A `loss` is one that no order explains and that an operator adopted:
 * the vault never signs it.
 */
export type TransactionPurpose =
  | 'withdrawal'
  | 'sweep'
  | 'contract'
  | 'deposit_return'
  | 'loss'
  | 'funding'
  | 'energy_loan'
  | 'energy_return'
  | 'stake';

/** Purposes that pay somebody. */
export const PAYMENT_PURPOSES = ['withdrawal', 'deposit_return'] as const satisfies readonly TransactionPurpose[];
export type PaymentPurpose = (typeof PAYMENT_PURPOSES)[number];

/** A payment, as its order states it. It is never read from the transaction itself. */
export interface TransferOrder {
  readonly kind: 'transfer';
  readonly chainRef: string;
  /** Contract (lower case) or `NATIVE_COIN`. */
  readonly token: string;
  /** Smallest units. */
  readonly amount: bigint;
  /** Lower case. */
  readonly recipient: string;
}

/** A deposit address that must delegate before it can be called. */
export interface DelegatingDeposit {
  /** Its place in the key tree. */
  readonly index: number;
  /** Lower case. */
  readonly addressKey: string;
  /** The address's own next nonce. */
  readonly nonce: number;
}

/** A contract call, as its rows state it, with the delegations that it carries. It moves no coins. */
export interface CallOrder {
  readonly kind: 'call';
  readonly chainRef: string;
  /** Lower case. */
  readonly to: string;
  /** Hex with `0x`. */
  readonly data: string;
  readonly gasLimit: bigint;
  /** The contract that `deposits` delegate to, lower case. */
  readonly delegate: string;
  readonly deposits: readonly DelegatingDeposit[];
}

/** A deposit address whose funds a sweep moves, with its place in the key tree. */
export interface OrderedSource extends SweepSource {
  readonly index: number;
}

/** A sweep on a chain whose transactions expire, as its rows state it. */
export interface SweepOrder {
  readonly kind: 'sweep';
  readonly chainRef: string;
  readonly sources: readonly OrderedSource[];
  /** Tokens whose account of the hot wallet it opens. */
  readonly missingAccounts: readonly string[];
  /** The most that its only address pays for it, in smallest units of the coin; null where the hot wallet pays. */
  readonly costMax: bigint | null;
}

/** Coins for a deposit address that pays for its sweep. */
export interface FundingOrder {
  readonly kind: 'funding';
  readonly chainRef: string;
  /** Smallest units of the coin. */
  readonly amount: bigint;
  /** Key of the deposit address, and its place in the key tree. */
  readonly recipient: string;
  readonly index: number;
}

/** Energy of the hot wallet's stake that a deposit address gets for its sweep, or gives back. */
export interface EnergyOrder {
  readonly kind: 'energy';
  readonly move: EnergyMove['kind'];
  readonly chainRef: string;
  /** Staked coins in smallest units. */
  readonly stake: bigint;
  /** Key of the deposit address, and its place in the key tree. */
  readonly borrower: string;
  readonly index: number;
}

/** A change of the hot wallet's stake, as an operator ordered it. */
export interface StakingOrder {
  readonly kind: 'stake';
  readonly move: StakeMove['kind'];
  readonly chainRef: string;
  /** Smallest units of the coin; 0 for a withdrawal. */
  readonly amount: bigint;
}

/** What an account nonce is taken for. */
export type NonceOrder = TransferOrder | CallOrder;

/** What is ordered for sweeps where transactions expire: themselves, what their addresses get for it or give back, and stakes. */
export type SweepingOrder = SweepOrder | FundingOrder | EnergyOrder | StakingOrder;

/** What the vault signs a transaction for: a payment, a call, a sweep or what belongs to it, by the rows behind it. */
export type TransactionOrder = NonceOrder | SweepingOrder;

/** Whether an order takes an account nonce. */
export const takesNonce = (order: TransactionOrder): order is NonceOrder =>
  order.kind === 'transfer' || order.kind === 'call';
