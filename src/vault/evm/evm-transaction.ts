/**
 * The word of an address that it runs the code of `delegate` from now on (EIP-7702), on the chain of the transaction that
 * carries it and on no other.
 */
export interface EvmAuthorization {
  /** Checksummed or lower case. */
  readonly delegate: string;
  /** The address's own next nonce. The chain passes over an authorization with another one, and says nothing. */
  readonly nonce: number;
}

/** An authorization with its signature: `r` and `s` as 32 bytes of hex. */
export interface SignedEvmAuthorization extends EvmAuthorization {
  readonly yParity: 0 | 1;
  readonly r: string;
  readonly s: string;
}

/** What every transaction of ours says. Amounts are in wei. */
export interface EvmTransactionFields {
  /** Never 0: a transaction without a chain id could be sent again on every other chain. */
  readonly chainId: bigint;
  readonly nonce: number;
  /** Checksummed or lower case. Never absent or zero: we create no contracts and burn nothing. */
  readonly to: string;
  readonly value: bigint;
  /** Call data, `0x` and an even number of hex digits. */
  readonly data: string;
  readonly gasLimit: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/**
 * A transaction before it is signed: of EIP-1559 (type 2), or with authorizations of EIP-7702 (type 4). The vault signs no
 * other.
 */
export interface UnsignedEvmTransaction extends EvmTransactionFields {
  /** At least one, where there are any: chains refuse an empty list. */
  readonly authorizations?: readonly SignedEvmAuthorization[] | undefined;
}

/** What a node takes: `raw` as `0x` hex, and its hash, by which the transaction is found again. */
export interface SignedEvmTransaction {
  readonly raw: string;
  readonly hash: string;
}
