/** A call from one contract to another account. */
export interface InternalTransaction {
  readonly hash: string;
  readonly caller: string;
  readonly to: string;
  readonly value: bigint;
  readonly note: 'call' | 'create';
  readonly isRejected: boolean;
}

export interface TransactionLog {
  /** Hex, without the version byte. */
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}
