import type { Vault } from '../../vault/vault.js';

/** When the transaction of a chain without nonces can no longer be mined, and what it can cost at most. */
export interface TransactionExpiry {
  /** The block that its bytes name. */
  readonly afterHeight: number;
  readonly afterHash: string;
  /** As `Expiry.until`. */
  readonly until: number;
  /** Beside its value, in smallest units of the coin. */
  readonly costMax: bigint;
}

/** A signed version of an outgoing transaction that was compared with its order, as it is stored. */
export interface SignedVersion {
  readonly txHash: string;
  /** The bytes as nodes take them. */
  readonly raw: string;
  /** The fields before the signature as JSON, for the vault's audit. */
  readonly fields: string;
  /** On chains without nonces the number of the transaction among those of its wallet. */
  readonly nonce: number;
  /** Key of the address that sends it and pays its fee, where that is not the hot wallet. */
  readonly sender?: string;
  /** Key of the address that is called or paid. */
  readonly destination: string;
  /** The coins that it carries, in smallest units. */
  readonly value: bigint;
  /** The call data as hex; empty on chains without calls. */
  readonly data: string;
  /** In units of the chain's machine: gas, compute units or energy; on tron bytes for a payment of coins. */
  readonly gasLimit: bigint;
  /** The price of one such unit: wei per gas, millionths of a lamport per compute unit, or sun. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** Null where a nonce excludes any other version. */
  readonly expiry: TransactionExpiry | null;
}

/** A planned version of a transaction. */
export interface SignableTransaction {
  /**
   * Signs it with the vault, and compares the bytes with the plan and with the order.
   * @throws SignedMismatch
   */
  sign(vault: Vault): Promise<SignedVersion>;
}
