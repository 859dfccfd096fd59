import type { AccountObstacle, CreditedObstacle } from '../domain/account-obstacle.js';
import type { BlockHeader, NodeClient, Sighting } from './chain.js';

/** An account that can receive funds of an address: the address itself for the chain's coin, else a token account. */
export interface FundsAccount {
  readonly account: string;
  /** Key of the token's contract; `NATIVE_COIN` for the chain's own coin. */
  readonly token: string;
  /** Key of the address that must own it, or it holds nothing of ours; left out for an account of which that is certain. */
  readonly owner?: string;
}

/** An account of an address that is not the one of its token. */
export interface OwnedAccount extends FundsAccount {
  readonly owner: string;
  /** Smallest units, at a final block. */
  readonly units: bigint;
  /** Null when it can be credited. */
  readonly obstacle: AccountObstacle | null;
}

/** The accounts that a node shows of addresses. */
export interface OwnedAccounts {
  readonly accounts: readonly OwnedAccount[];
  /** The addresses of which the node shows none, because it refuses to list them: they may own some. */
  readonly refused: readonly string[];
}

/** The balance of an account after the block `asOf`, which may be replaced until it is final. */
export interface AccountBalance {
  readonly asOf: number;
  /** Smallest units; 0 for an account that does not exist, or is another one than asked for. */
  readonly units: bigint;
  /** Why nothing of the account counts; null where no owner was asked for. */
  readonly obstacle: CreditedObstacle | null;
}

/** A transfer to one account. Any address may own it. */
export interface AccountTransfer extends Pick<Sighting, 'position' | 'token' | 'amount'> {
  readonly account: string;
  /** Key of the address that owns the account after the transaction; null when the node does not say. */
  readonly owner: string | null;
  /** Owners that have less of the token than before the transaction, the largest loss first; empty when no owner lost any. */
  readonly senders: readonly string[];
}

/** A transaction in its block, with its transfers to any account; a failed one has none. */
export interface AccountTransaction {
  readonly height: number;
  readonly transfers: readonly AccountTransfer[];
}

/** `absent`: the node does not know the transaction. `unreadable`: it refuses it, or its answer makes no sense. */
export type FoundTransaction = AccountTransaction | 'absent' | 'unreadable';

/** A transaction in the history of an account. */
export interface AccountSignature {
  readonly txHash: string;
  readonly height: number;
  readonly succeeded: boolean;
}

/**
 * Reads a chain account by account, through one node. Blocks have gaps in their heights there, and no past balance can be
 * read: a balance that differs from the books leads to the transactions of its account.
 */
export interface AccountClient extends NodeClient {
  /** Returns the height of the newest final block. */
  finalizedHeight(): Promise<number>;
  /** Returns the account of an address for each token, and the one for the chain's coin. It asks no node. */
  accountsOf(address: string, tokens: readonly string[]): Promise<readonly FundsAccount[]>;
  /**
   * Returns the accounts of these tokens that addresses own beside those of `accountsOf`. Each address is a request, which the
   * node may refuse. @throws ChainUnavailable when it refuses several and answers none
   */
  otherAccountsOf(addresses: readonly string[], tokens: readonly string[]): Promise<OwnedAccounts>;
  /** The accounts of one request for balances. */
  readonly accountsPerRequest: number;
  /** The accounts of the requests for balances that it sends together. */
  readonly accountsTogether: number;
  /** The limit of the node; null = none is known. */
  readonly requestsPerSecond: number | null;
  /**
   * Returns the balances at block `since` or later, in the order asked; those of one request are of one block.
   * @throws ChainUnavailable when the node is behind that block
   */
  balancesOf(accounts: readonly FundsAccount[], since: number): Promise<readonly AccountBalance[]>;
  /** Returns the smallest units of the chain's coin that an address without funds can receive. */
  smallestPayment(): Promise<bigint>;
  /** Returns a page of the account's history as of block `since` or later, the newest first, below `before`. */
  historyOf(account: string, since: number, before: string | null): Promise<readonly AccountSignature[]>;
  /** The entries of a full page of a history. */
  readonly historyPage: number;
  /** Returns transactions with their transfers of these tokens and of the chain's coin, in the order asked. */
  transactionsOf(txHashes: readonly string[], tokens: readonly string[]): Promise<readonly FoundTransaction[]>;
  /**
   * Returns the final blocks at heights; null where a later final block proves that there is none. Heights of which the
   * node knows nothing are missing.
   */
  finalBlocksAt(heights: readonly number[]): Promise<ReadonlyMap<number, BlockHeader | null>>;
}
