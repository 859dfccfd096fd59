import type { AccountClient, AccountSignature, AccountTransfer } from '../../../chains/accounts.js';
import type { BlockHeader } from '../../../chains/chain.js';
import { newId } from '../../../domain/ids.js';
import type { Database } from '../../../platform/database/database.js';
import { RpcRefusal } from '../../../chains/rpc/json-rpc.js';
import { inConcurrentBatches } from '../concurrent-batches.js';
import type { DepositRow } from '../deposit-writer.sql.js';
import { type Excess, type Found, HistorySearch } from './history-search.js';
import { findExcess, ownersOf, type ReadBalance, recordedOn, type WatchedFunds } from './watched-accounts.sql.js';

/** Transactions that are asked for at once. */
const TRANSACTIONS_PER_BATCH = 50;
/** Histories that are asked for at once. */
const HISTORIES_PER_BATCH = 5;

/**
 * Compares balances with the books, and finds the transactions behind what an account holds more. A balance alone books
 * nothing: what no transaction explains is found again with the next reading of the account.
 */
export class AccountReader {
  constructor(
    private readonly database: Database,
    private readonly chainRef: string,
    private readonly tokens: readonly string[],
  ) {}

  /** Returns the balances of accounts at `since` or later. */
  balancesOf(client: AccountClient, accounts: readonly WatchedFunds[], since: number): Promise<readonly ReadBalance[]> {
    return inConcurrentBatches(accounts, client.accountsPerRequest, async (batch) => {
      const { asOf, units } = await client.balancesOf(batch, since);
      return batch.map((account, place) => ({ ...account, units: units[place] ?? 0n, asOf }));
    });
  }

  /**
   * Returns the accounts that hold more than the books say. An empty account can do so only after a sweep that took what no
   * deposit explains.
   */
  async excessOf(balances: readonly ReadBalance[]): Promise<readonly Excess[]> {
    const possible = balances.filter(({ units, hasSweeps }) => units > 0n || hasSweeps);
    if (possible.length === 0) return [];
    const found = await this.database.rows(findExcess(this.chainRef, possible));
    return found.map(({ account, units, asOf }) => ({ account, units: BigInt(units), asOf: Number(asOf) }));
  }

  /**
   * Reads the histories of accounts, the newest transactions first, until they explain what each holds more. Yields the
   * deposits of each batch, to any of our accounts, so that they are recorded before the next one is read. An account of
   * which the node refuses the history stays unexplained, and holds up no other.
   */
  async *explain(client: AccountClient, excesses: readonly Excess[]): AsyncGenerator<readonly DepositRow[]> {
    let searches = excesses.map((excess) => new HistorySearch(excess));
    while (searches.length > 0) {
      await this.turnPages(
        client,
        searches.filter((search) => search.needsPage),
      );
      const txHashes = nextOf(searches);
      if (txHashes.length > 0) {
        const { found } = await this.read(client, txHashes);
        yield await this.depositsIn(client, found);
        for (const search of searches) search.subtract(found);
      }
      searches = searches.filter((search) => !search.isOver);
    }
  }

  /** Reads the next pages of several histories, without the transactions that are recorded. */
  private async turnPages(client: AccountClient, searches: readonly HistorySearch[]): Promise<void> {
    if (searches.length === 0) return;
    const pages = await inConcurrentBatches(searches, HISTORIES_PER_BATCH, (batch) =>
      Promise.all(batch.map((search) => historyPage(client, search))),
    );
    const read = searches.flatMap(({ excess }, place) =>
      (pages[place] ?? []).map(({ txHash }) => ({ account: excess.account, txHash })),
    );
    const recorded = await this.database.rows(recordedOn(this.chainRef, read));
    const known = new Set(recorded.map(({ account, txHash }) => `${account} ${txHash}`));
    for (const [place, search] of searches.entries()) {
      search.turn(pages[place] ?? [], client.historyPage, (txHash) => known.has(`${search.excess.account} ${txHash}`));
    }
  }

  /**
   * Reads transactions again whose block was replaced. Returns the deposits in their new blocks, and the transactions that
   * the node could not return: nothing is known about those.
   */
  async readAgain(
    client: AccountClient,
    txHashes: readonly string[],
  ): Promise<{ readonly deposits: readonly DepositRow[]; readonly unknown: ReadonlySet<string> }> {
    const { found, unreadable } = await this.read(client, [...new Set(txHashes)]);
    const blockAt = await headersOf(client, found);
    const homeless = found.filter(({ height }) => !blockAt.has(height)).map(({ txHash }) => txHash);
    return { deposits: await this.depositsIn(client, found, blockAt), unknown: new Set([...unreadable, ...homeless]) };
  }

  private async read(
    client: AccountClient,
    txHashes: readonly string[],
  ): Promise<{ readonly found: readonly Found[]; readonly unreadable: readonly string[] }> {
    const transactions = await inConcurrentBatches(txHashes, TRANSACTIONS_PER_BATCH, (batch) =>
      client.transactionsOf(batch, this.tokens),
    );
    const found = transactions.flatMap((transaction, place) =>
      typeof transaction === 'string' ? [] : [{ ...transaction, txHash: txHashes[place] ?? '' }],
    );
    return { found, unreadable: txHashes.filter((_hash, place) => transactions[place] === 'unreadable') };
  }

  /** Returns the transfers to our accounts as deposits, without those whose block the node does not return. */
  private async depositsIn(
    client: AccountClient,
    transactions: readonly Found[],
    blocks?: ReadonlyMap<number, BlockHeader>,
  ): Promise<readonly DepositRow[]> {
    const accounts = transactions.flatMap(({ transfers }) => transfers.map(({ account }) => account));
    if (accounts.length === 0) return [];
    const ours = await this.database.rows(ownersOf(this.chainRef, [...new Set(accounts)]));
    const ownerOf = new Map(ours.map(({ account, token, addressKey }) => [`${account} ${token}`, addressKey]));
    const blockAt = blocks ?? (await headersOf(client, transactions));
    return transactions.flatMap(({ txHash, height, transfers }) => {
      const block = blockAt.get(height);
      if (block === undefined) return [];
      return transfers.flatMap((transfer) => {
        const owner = ownerOf.get(`${transfer.account} ${transfer.token}`);
        return owner === undefined ? [] : [depositOf(transfer, { txHash, owner, block })];
      });
    });
  }
}

async function historyPage(
  client: AccountClient,
  { excess, before }: HistorySearch,
): Promise<readonly AccountSignature[]> {
  try {
    return await client.historyOf(excess.account, excess.asOf, before);
  } catch (error) {
    if (error instanceof RpcRefusal) return [];
    throw error;
  }
}

/** Returns the transactions to read next, about as many of each account. One may have paid several of them. */
function nextOf(searches: readonly HistorySearch[]): string[] {
  const txHashes = new Set<string>();
  const each = Math.max(1, Math.floor(TRANSACTIONS_PER_BATCH / searches.length));
  for (const search of searches) for (const txHash of search.next(each)) txHashes.add(txHash);
  return [...txHashes];
}

async function headersOf(
  client: AccountClient,
  transactions: readonly Found[],
): Promise<ReadonlyMap<number, BlockHeader>> {
  const headers = await client.headersAt([...new Set(transactions.map(({ height }) => height))]);
  return new Map(headers.flatMap((header) => (header === null ? [] : [[header.height, header]])));
}

function depositOf(
  { account, token, position, amount, senders }: AccountTransfer,
  { txHash, owner, block }: { readonly txHash: string; readonly owner: string; readonly block: BlockHeader },
): DepositRow {
  const [from, ...others] = senders;
  return {
    id: newId('dep_'),
    tokenContract: token,
    txHash,
    position,
    from: from ?? null,
    to: owner,
    account,
    otherSenders: others.length === 0 ? null : others.join(','),
    amount: amount.toString(),
    blockHeight: block.height,
    blockHash: block.hash,
    blockTime: block.time,
  };
}
