/** What an outgoing transaction is for. A `loss` is one that no order explains, taken in by staff: no vault signs it. */
export type TransactionPurpose = 'withdrawal' | 'sweep' | 'contract' | 'deposit_return' | 'loss';

/** Purposes that pay somebody. */
export type PaymentPurpose = Extract<TransactionPurpose, 'withdrawal' | 'deposit_return'>;

/** What a transaction is to pay, by the order behind it: never read from the transaction itself. */
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

/** A deposit address that has to delegate before it can be called. */
export interface DelegatingDeposit {
  /** Its place in the key tree. */
  readonly index: number;
  /** Lower case. */
  readonly addressKey: string;
  /** The address's own next nonce. */
  readonly nonce: number;
}

/** What a transaction is to call, by the rows behind it, with the delegations that it carries. It moves no coins. */
export interface CallOrder {
  readonly kind: 'call';
  readonly chainRef: string;
  /** Lower case. */
  readonly to: string;
  /** Hex with `0x`. */
  readonly data: string;
  readonly gasLimit: bigint;
  /** Lower case; what `deposits` delegate to. */
  readonly delegate: string;
  readonly deposits: readonly DelegatingDeposit[];
}

export type TransactionOrder = TransferOrder | CallOrder;
