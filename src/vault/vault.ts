import type { AddressFamily, Environment, EvmNetwork, Network } from '../domain/network.js';
import type {
  SignedEvmAuthorization,
  SignedEvmTransaction,
  UnsignedEvmTransaction,
} from '../chains/evm/evm-transaction.js';
import type { SignedBytes, UnsignedTransaction } from '../chains/expiring-transaction.js';

/** An address of ours with its place in the key tree, from which it can always be derived again. */
export interface DerivedAddress {
  readonly index: number;
  /** Full BIP-32 path from the environment's seed, such as `m/44'/60'/0'/0/7`. */
  readonly path: string;
  /** As displayed: EIP-55 checksummed for the EVM family, base58 for solana, base58check for tron. */
  readonly address: string;
  /** As chain clients report recipients: lower case for the EVM family, elsewhere as displayed. Unique over the family. */
  readonly addressKey: string;
}

/** A signing key by its purpose: no caller can choose a key path. */
export interface SigningKey {
  readonly kind: 'hot_wallet';
  readonly network: EvmNetwork;
}

/** An address that signs a transaction that expires: the hot wallet of its network, or a deposit address by its place in the key tree. */
export type ExpiringSigner = { readonly kind: 'hot_wallet' } | { readonly kind: 'deposit'; readonly index: number };

/** A deposit address that signs an authorization: its place in the key tree, and its own next nonce on the chain. */
export interface DepositAuthority {
  readonly index: number;
  readonly nonce: number;
}

/** The contract that deposit addresses delegate to, and its chain. */
export interface DelegationTerms {
  /** Never 0: that would be valid on every chain. */
  readonly chainId: bigint;
  readonly delegate: string;
}

/** The one place that holds keys. Callers get addresses and signed transactions, never a key or a seed. */
export interface Vault {
  /**
   * Returns the addresses `from` to `from + count - 1`, in that order; the same arguments always return the same
   * addresses. `count` is 1 to 1,000. Rejects with a `RangeError` outside those limits, and with a `VaultError` when the
   * vault has stopped.
   */
  deriveAddresses(
    environment: Environment,
    family: AddressFamily,
    from: number,
    count: number,
  ): Promise<readonly DerivedAddress[]>;
  /**
   * Returns the address that pays out on a network, `m/44'/60'/1'/0/<n>`, `m/44'/501'/0'/1'` or `m/44'/195'/1'/0/0`, derived by
   * two independent ways. Rejects as above.
   */
  hotWallet(environment: Environment, network: Network): Promise<DerivedAddress>;
  /**
   * Returns the transaction signed with `key`; the same arguments always return the same bytes. The caller decides that
   * it may be signed, and checks the answer by `checkSigned`. Rejects with a `TypeError` that names the field for a
   * transaction that could never be ours (chain id 0, no recipient, a tip above the fee), and with a `VaultError` when
   * the vault has stopped.
   */
  signEvm(
    environment: Environment,
    key: SigningKey,
    transaction: UnsignedEvmTransaction,
  ): Promise<SignedEvmTransaction>;
  /**
   * Returns one authorization per deposit address (EIP-7702), in the requested order, each signed with that address's
   * key; the same arguments always return the same bytes. 1 to 500 of them. The caller decides that they may be signed,
   * and checks the transaction that carries them. Rejects as `signEvm` does.
   */
  authorizeEvm(
    environment: Environment,
    terms: DelegationTerms,
    deposits: readonly DepositAuthority[],
  ): Promise<readonly SignedEvmAuthorization[]>;
  /**
   * Returns a transaction that expires, signed by its payer and by every owner that gives funds; the same arguments always
   * return the same bytes. `signers` names exactly those, in any order. The caller decides that it may be signed, and checks
   * the answer by the check of its family. Rejects with a `TypeError` that names the field for a transaction that could never
   * be ours or for other signers, with a `RangeError` when it does not fit the chain's size, and with a `VaultError` when the
   * vault has stopped.
   */
  signExpiring(
    environment: Environment,
    signers: readonly ExpiringSigner[],
    unsigned: UnsignedTransaction,
  ): Promise<SignedBytes>;
  /** Answers the earlier requests, then wipes the keys. */
  close(): Promise<void>;
}

const SENTENCES = {
  missing: (path: string) => `There is no vault file at ${path}.`,
  exists: (path: string) => `A vault file is already at ${path}; it may be the only copy of its seeds and is kept.`,
  unreadable: (path: string) => `The vault file at ${path} cannot be read.`,
  unsupported_version: (path: string) => `The vault file at ${path} was written by another version of this program.`,
  // One sentence for both causes: the difference would help only somebody who guesses.
  sealed: (path: string) => `The vault at ${path} stays sealed: wrong passphrase, or the file was changed.`,
  another_previous: (path: string) =>
    `${path} is there from an earlier change of the passphrase; it may be the only copy of its seeds and is kept.`,
  other_seeds: (path: string) =>
    `The vault file at ${path} does not hold the seeds that it should: nothing was replaced.`,
  weak_passphrase: () => 'A vault passphrase needs at least 12 characters.',
  stopped: (path: string) => `The vault opened from ${path} has stopped.`,
} as const satisfies Record<string, (path: string) => string>;

/** Why a vault cannot be created, opened or used. */
export type VaultFailure = keyof typeof SENTENCES;

/**
 * A failure that an operator can act on. The sentence depends on reason and path alone, so it cannot carry a secret.
 */
export class VaultError extends Error {
  // Fields are spelled out because worker threads load this file from source, where parameter properties do not exist.
  readonly reason: VaultFailure;

  constructor(reason: VaultFailure, path: string, options?: { cause?: unknown }) {
    super(SENTENCES[reason](path), options);
    this.name = 'VaultError';
    this.reason = reason;
  }
}
