/**
 * An authorization of an address to run the code of `delegate` from now on (EIP-7702), on the chain of the transaction
 * that carries it and on no other.
 */
export interface EvmAuthorization {
  /** Checksummed or lower case. */
  readonly delegate: string;
  /** The address's own next nonce. The chain silently skips an authorization with another one. */
  readonly nonce: number;
}

/** An authorization with its signature: `r` and `s` as 32 bytes of hex. */
export interface SignedEvmAuthorization extends EvmAuthorization {
  readonly yParity: 0 | 1;
  readonly r: string;
  readonly s: string;
}

/** The fields of every transaction of ours. Amounts are in wei. */
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
 * An unsigned transaction: of EIP-1559 (type 2), or with authorizations of EIP-7702 (type 4). The vault signs no other
 * type.
 */
export interface UnsignedEvmTransaction extends EvmTransactionFields {
  /** At least one when present: chains refuse an empty list. */
  readonly authorizations?: readonly SignedEvmAuthorization[] | undefined;
}

/** A signed transaction for a node: `raw` as `0x` hex, and its hash. */
export interface SignedEvmTransaction {
  readonly raw: string;
  readonly hash: string;
}
