import type { BlockHeader, NodeClient, Sighting } from './chain.js';

/** An account that can receive funds of an address: the address itself for the chain's coin, else a token account. */
export interface FundsAccount {
  readonly account: string;
  /** Key of the token's contract; `NATIVE_COIN` for the chain's own coin. */
  readonly token: string;
}

/** The balances of accounts after the block `asOf`, which may be replaced until it is final. */
export interface AccountBalances {
  readonly asOf: number;
  /** Smallest units, in the order asked; 0 for an account that does not exist. */
  readonly units: readonly bigint[];
}

/** A transfer to one account, whoever owns it. */
export interface AccountTransfer extends Pick<Sighting, 'position' | 'token' | 'amount'> {
  readonly account: string;
  /** Owners whose balance of the token fell in the transaction, the largest loss first; none where nobody's did. */
  readonly senders: readonly string[];
}

/** The transfers of a transaction that succeeded, in its block. None of them is known to be ours. */
export interface AccountTransaction {
  readonly height: number;
  /** The time of the block; null when the node does not know it. */
  readonly time: Date | null;
  readonly transfers: readonly AccountTransfer[];
}

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
  /** Returns the account of an address for each token, and the one for the chain's coin. It asks no node. */
  accountsOf(address: string, tokens: readonly string[]): Promise<readonly FundsAccount[]>;
  /** The accounts of one `balancesOf`. */
  readonly accountsPerRequest: number;
  /** Returns the balances at block `since` or later. @throws ChainUnavailable when the node is behind that block. */
  balancesOf(accounts: readonly FundsAccount[], since: number): Promise<AccountBalances>;
  /** Returns a page of the account's history as of block `since` or later, the newest first, below `before`. */
  historyOf(account: string, since: number, before: string | null): Promise<readonly AccountSignature[]>;
  /** The entries of a full page of a history. */
  readonly historyPage: number;
  /**
   * Returns the transfers of transactions to any account, of listed tokens and of the chain's coin; null for a transaction
   * that the node does not know, that failed, or whose version it does not return.
   */
  transactionsOf(
    txHashes: readonly string[],
    tokens: readonly string[],
  ): Promise<readonly (AccountTransaction | null)[]>;
  /** Returns the final blocks at heights; null where there is none. Heights that the node does not know are missing. */
  finalBlocksAt(heights: readonly number[]): Promise<ReadonlyMap<number, BlockHeader | null>>;
}
