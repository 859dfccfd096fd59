import type { AccountClient, AccountSignature, AccountTransfer } from '../../../chains/accounts.js';
import type { BlockHeader } from '../../../chains/chain.js';
import { newId } from '../../../domain/ids.js';
import type { Database } from '../../../platform/database/database.js';
import { RpcRefusal } from '../../../chains/rpc/json-rpc.js';
import type { RowOf } from '../../../platform/sql/sql.js';
import { inConcurrentBatches } from '../concurrent-batches.js';
import type { DepositRow } from '../deposit-writer.sql.js';
import { type Excess, type Found, HistorySearch } from './history-search.js';
import { findExcess, ownersOf, type ReadBalance, recordedOn, type WatchedFunds } from './watched-accounts.sql.js';

/** Transactions that are asked for at once. */
const TRANSACTIONS_PER_BATCH = 50;
/** Histories that are asked for at once. */
const HISTORIES_PER_BATCH = 5;

/** A transfer to one of our accounts, with the key of the address that owns it. */
interface OwnTransfer extends AccountTransfer {
  readonly to: string;
}

interface OwnFound extends Found {
  readonly transfers: readonly OwnTransfer[];
}

/** What a node said about the balances of accounts. */
export interface BalanceReading {
  readonly accounts: readonly WatchedFunds[];
  /** When it was asked (monotonic). */
  readonly beganAtMs: number;
  /** The balances that can be above the books, and those of all credited accounts: an obstacle of theirs may have changed. */
  readonly balances: readonly ReadBalance[];
}

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

  /** Reads the balances of accounts at `since` or later. */
  async balancesOf(client: AccountClient, accounts: readonly WatchedFunds[], since: number): Promise<BalanceReading> {
    const beganAtMs = performance.now();
    const balances = await inConcurrentBatches(accounts, client.accountsTogether, async (batch) => {
      const read = await client.balancesOf(batch, since);
      const kept: ReadBalance[] = [];
      for (const [place, { asOf, units, obstacle: blockedBy }] of read.entries()) {
        const account = batch[place];
        if (account === undefined) continue;
        if (canExceed(units, account) || account.owner !== undefined) kept.push({ ...account, units, blockedBy, asOf });
      }
      return kept;
    });
    return { accounts, beganAtMs, balances };
  }

  /** Returns the accounts that hold more than the books say. Nothing counts in an account that others may act on. */
  async excessOf(balances: readonly ReadBalance[]): Promise<readonly Excess[]> {
    const possible = balances.filter((balance) => canExceed(balance.units, balance) && isOurs(balance));
    if (possible.length === 0) return [];
    const compared = possible.map((balance) => ({ ...balance, owner: balance.owner ?? null }));
    const found = await this.database.rows(findExcess(this.chainRef, compared));
    return byAccount(found);
  }

  /**
   * Reads the histories of accounts, the newest transactions first, until they explain what each holds more. Yields the
   * deposits of each batch, to any of our accounts, so that they are recorded before the next one is read. An account of
   * which the node refuses the history stays unexplained, and holds up no other.
   */
  async *explain(client: AccountClient, excesses: readonly Excess[]): AsyncGenerator<readonly DepositRow[]> {
    let searches = excesses.map((excess) => new HistorySearch(excess));
    const checked = new Set(
      excesses.flatMap(({ account, payees = [] }) =>
        payees.map(({ token, owner }) => keyOf({ account, token }, owner)),
      ),
    );
    while (searches.length > 0) {
      await this.turnPages(
        client,
        searches.filter((search) => search.needsPage),
      );
      const txHashes = nextOf(searches);
      if (txHashes.length > 0) {
        const { found } = await this.read(client, txHashes);
        const own = await this.ownTransfers(found, (transfer) => checked.has(keyOf(transfer, transfer.owner)));
        yield await this.depositsIn(client, own);
        for (const search of searches) search.subtract(own);
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
   * Reads the transactions of deposits again whose block was replaced. Returns the deposits in their new blocks, and the
   * transactions that the node could not return: nothing is known about those.
   */
  async readAgain(
    client: AccountClient,
    replaced: readonly { readonly txHash: string; readonly account: string }[],
  ): Promise<{ readonly deposits: readonly DepositRow[]; readonly unknown: ReadonlySet<string> }> {
    const { found, unreadable } = await this.read(client, [...new Set(replaced.map(({ txHash }) => txHash))]);
    const paid = new Set(replaced.map(({ account }) => account));
    const blockAt = await headersOf(client, found);
    const own = await this.ownTransfers(found, ({ account }) => paid.has(account));
    const homeless = found.filter(({ height }) => !blockAt.has(height)).map(({ txHash }) => txHash);
    const deposits = await this.depositsIn(client, own, blockAt);
    return { deposits, unknown: new Set([...unreadable, ...homeless]) };
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

  /**
   * Returns transactions with their transfers to our accounts alone. A credited account is ours only while our address owns it:
   * once a sweep has closed it, its maker can open it again for another owner. It counts only where its own data was checked:
   * a transfer to an associated account may come with one to an account that others may act on.
   */
  private async ownTransfers(
    transactions: readonly Found[],
    isChecked: (transfer: AccountTransfer) => boolean,
  ): Promise<readonly OwnFound[]> {
    const accounts = transactions.flatMap(({ transfers }) => transfers.map(({ account }) => account));
    const ours = accounts.length === 0 ? [] : await this.database.rows(ownersOf(this.chainRef, [...new Set(accounts)]));
    const ownerOf = new Map(ours.map((own) => [keyOf(own, own.isCredited ? own.addressKey : null), own.addressKey]));
    return transactions.map((transaction) => ({
      ...transaction,
      transfers: transaction.transfers.flatMap((transfer) => {
        const credited = isChecked(transfer) ? ownerOf.get(keyOf(transfer, transfer.owner)) : undefined;
        const to = ownerOf.get(keyOf(transfer, null)) ?? credited;
        return to === undefined ? [] : [{ ...transfer, to }];
      }),
    }));
  }

  /** Returns the transfers to our accounts as deposits, without those whose block the node does not return. */
  private async depositsIn(
    client: AccountClient,
    transactions: readonly OwnFound[],
    blocks?: ReadonlyMap<number, BlockHeader>,
  ): Promise<readonly DepositRow[]> {
    const paying = transactions.filter(({ transfers }) => transfers.length > 0);
    const blockAt = blocks ?? (await headersOf(client, paying));
    return paying.flatMap(({ txHash, height, transfers }) => {
      const block = blockAt.get(height);
      return block === undefined ? [] : transfers.map((transfer) => depositOf(transfer, { txHash, block }));
    });
  }
}

/** Whether a balance can be above the books. An empty account can be so only after a sweep that took what no deposit explains. */
const canExceed = (units: bigint, { hasSweeps }: WatchedFunds): boolean => units > 0n || hasSweeps;

/** Whether no other key may act on the funds of a balance. An account that was replaced counts as empty. */
const isOurs = ({ blockedBy }: ReadBalance): boolean => blockedBy === null || blockedBy === 'replaced';

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

/** The key of an account of a token; of a credited account with its owner. */
const keyOf = (
  { account, token }: { readonly account: string; readonly token: string },
  owner: string | null,
): string => [account, token, ...(owner === null ? [] : [owner])].join(' ');

/** What an account holds above the books for all its owners and tokens of ever: its history is one. */
function byAccount(found: readonly RowOf<typeof findExcess>[]): readonly Excess[] {
  return [...Map.groupBy(found, ({ account }) => account)].map(([account, parts]) => ({
    account,
    units: parts.reduce((sum, { units }) => sum + BigInt(units), 0n),
    asOf: Math.max(...parts.map(({ asOf }) => Number(asOf))),
    payees: parts.flatMap(({ token, owner }) => (owner === null ? [] : [{ token, owner }])),
  }));
}

async function headersOf(
  client: AccountClient,
  transactions: readonly Pick<Found, 'height'>[],
): Promise<ReadonlyMap<number, BlockHeader>> {
  const headers = await client.headersAt([...new Set(transactions.map(({ height }) => height))]);
  return new Map(headers.flatMap((header) => (header === null ? [] : [[header.height, header]])));
}

function depositOf(
  { account, token, position, amount, senders, to }: OwnTransfer,
  { txHash, block }: { readonly txHash: string; readonly block: BlockHeader },
): DepositRow {
  const [from, ...others] = senders;
  return {
    id: newId('dep_'),
    tokenContract: token,
    txHash,
    position,
    from: from ?? null,
    to,
    account,
    otherSenders: others.length === 0 ? null : others.join(','),
    amount: amount.toString(),
    blockHeight: block.height,
    blockHash: block.hash,
    blockTime: block.time,
  };
}
