import type {
  AccountClient,
  AccountSignature,
  AccountTransaction,
  AccountTransfer,
  FundsAccount,
} from '../../../chains/accounts.js';
import type { BlockHeader } from '../../../chains/chain.js';
import { newId } from '../../../domain/ids.js';
import type { Database } from '../../../platform/database/database.js';
import { inConcurrentBatches } from '../concurrent-batches.js';
import type { DepositRow } from '../deposit-writer.sql.js';
import { findExcess, ownersOf, type ReadBalance, recordedOn } from './watched-accounts.sql.js';

/** Transactions that are asked for at once. */
const TRANSACTIONS_PER_BATCH = 50;
/** Pages of a history that are read for one excess: anybody can make transactions that name an account. */
const PAGES_MAX = 20;

/** What an account holds above the books as of a block, in smallest units. */
export interface Excess {
  readonly account: string;
  readonly units: bigint;
  readonly asOf: number;
}

/** A transaction and its transfers. */
interface Found extends AccountTransaction {
  readonly txHash: string;
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

  /** Returns the balances of accounts at `since` or later. */
  balancesOf(client: AccountClient, accounts: readonly FundsAccount[], since: number): Promise<readonly ReadBalance[]> {
    return inConcurrentBatches(accounts, client.accountsPerRequest, async (batch) => {
      const { asOf, units } = await client.balancesOf(batch, since);
      return batch.map(({ account }, place) => ({ account, units: units[place] ?? 0n, asOf }));
    });
  }

  /** Returns the accounts that hold more than the books say. */
  async excessOf(balances: readonly ReadBalance[]): Promise<readonly Excess[]> {
    if (balances.length === 0) return [];
    const found = await this.database.rows(findExcess(this.chainRef, balances));
    return found.map(({ account, units, asOf }) => ({ account, units: BigInt(units), asOf: Number(asOf) }));
  }

  /**
   * Reads the history of an account, the newest transactions first, until they explain the excess. Yields the deposits of
   * each batch, to any of our accounts, so that they are recorded before the next one is read.
   */
  async *explain(client: AccountClient, { account, units, asOf }: Excess): AsyncGenerator<readonly DepositRow[]> {
    let explained = 0n;
    let before: string | null = null;
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const page = await client.historyOf(account, asOf, before);
      for (const batch of batchesOf(await this.unrecorded(account, page), TRANSACTIONS_PER_BATCH)) {
        const { found } = await this.read(client, batch);
        yield await this.depositsIn(client, found);
        explained += receivedOn(account, asOf, found);
        if (explained >= units) return;
      }
      before = page.at(-1)?.txHash ?? null;
      if (page.length < client.historyPage) return;
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

  private async unrecorded(account: string, page: readonly AccountSignature[]): Promise<readonly string[]> {
    const hashes = page.filter(({ succeeded }) => succeeded).map(({ txHash }) => txHash);
    const recorded = await this.database.rows(recordedOn(this.chainRef, account, hashes));
    const known = new Set(recorded.map(({ txHash }) => txHash));
    return hashes.filter((txHash) => !known.has(txHash));
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

const batchesOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));

async function headersOf(
  client: AccountClient,
  transactions: readonly Found[],
): Promise<ReadonlyMap<number, BlockHeader>> {
  const headers = await client.headersAt([...new Set(transactions.map(({ height }) => height))]);
  return new Map(headers.flatMap((header) => (header === null ? [] : [[header.height, header]])));
}

/** Returns what an account received up to a block, in smallest units. */
function receivedOn(account: string, asOf: number, transactions: readonly Found[]): bigint {
  return transactions
    .filter(({ height }) => height <= asOf)
    .flatMap(({ transfers }) => transfers.filter((transfer) => transfer.account === account))
    .reduce((sum, { amount }) => sum + amount, 0n);
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
