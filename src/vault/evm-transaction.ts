/** An EIP-1559 transaction (type 2) before it is signed: the only shape that the vault signs. Amounts are in wei. */
export interface UnsignedEvmTransaction {
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

/** What a node takes: `raw` as `0x` hex, and its hash, by which the transaction is found again. */
export interface SignedEvmTransaction {
  readonly raw: string;
  readonly hash: string;
}
