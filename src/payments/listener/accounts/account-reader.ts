import type { AccountClient, AccountTransaction, AccountTransfer, FundsAccount } from '../../../chains/accounts.js';
import type { BlockHeader } from '../../../chains/chain.js';
import { newId } from '../../../domain/ids.js';
import type { Database } from '../../../platform/database/database.js';
import { inConcurrentBatches } from '../concurrent-batches.js';
import type { DepositRow } from '../deposit-writer.sql.js';
import { findExcess, ownersOf, type ReadBalance, recordedOn } from './watched-accounts.sql.js';

/** Transactions that are asked for at once. */
const TRANSACTIONS_PER_BATCH = 50;

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
 * Compares balances with the books, and finds the transactions behind what an account holds more. A balance alone books nothing: what
 * no transaction explains is found again with the next reading of the account.
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

  /** Returns the deposits of the transactions behind excesses, to any of our accounts. */
  async explain(client: AccountClient, excesses: readonly Excess[]): Promise<readonly DepositRow[]> {
    const found = new Map<string, Found>();
    for (const excess of excesses) {
      for (const transaction of await this.transactionsBehind(client, excess)) {
        found.set(transaction.txHash, transaction);
      }
    }
    return this.depositsIn(client, [...found.values()]);
  }

  /** Reads the history of an account, the newest transactions first, until they explain the excess. */
  private async transactionsBehind(client: AccountClient, { account, units, asOf }: Excess): Promise<readonly Found[]> {
    const found: Found[] = [];
    let explained = 0n;
    let before: string | null = null;
    for (;;) {
      const page = await client.historyOf(account, asOf, before);
      const hashes = page.filter(({ succeeded }) => succeeded).map(({ txHash }) => txHash);
      const recorded = await this.database.rows(recordedOn(this.chainRef, account, hashes));
      const known = new Set(recorded.map(({ txHash }) => txHash));
      const transactions = await this.transactionsOf(
        client,
        hashes.filter((txHash) => !known.has(txHash)),
      );
      found.push(...transactions);
      explained += receivedOn(account, asOf, transactions);
      before = page.at(-1)?.txHash ?? null;
      if (explained >= units || page.length < client.historyPage) return found;
    }
  }

  private transactionsOf(client: AccountClient, txHashes: readonly string[]): Promise<readonly Found[]> {
    return inConcurrentBatches(txHashes, TRANSACTIONS_PER_BATCH, async (batch) => {
      const transactions = await client.transactionsOf(batch, this.tokens);
      return transactions.flatMap((transaction, place) =>
        transaction === null ? [] : [{ ...transaction, txHash: batch[place] ?? '' }],
      );
    });
  }

  /** Returns the transfers to our accounts as deposits, without those whose block the node no longer has. */
  async depositsIn(client: AccountClient, transactions: readonly Found[]): Promise<readonly DepositRow[]> {
    const accounts = transactions.flatMap(({ transfers }) => transfers.map(({ account }) => account));
    if (accounts.length === 0) return [];
    const ours = await this.database.rows(ownersOf(this.chainRef, [...new Set(accounts)]));
    const ownerOf = new Map(ours.map(({ account, token, addressKey }) => [`${account} ${token}`, addressKey]));
    const blockAt = await headersOf(client, transactions);
    return transactions.flatMap(({ txHash, height, transfers }) => {
      const block = blockAt.get(height);
      if (block === undefined) return [];
      return transfers.flatMap((transfer) => {
        const owner = ownerOf.get(`${transfer.account} ${transfer.token}`);
        return owner === undefined ? [] : [depositOf(transfer, { txHash, owner, block })];
      });
    });
  }

  /** Reads transactions again whose block was replaced; those that the node does not have are missing. */
  async readAgain(client: AccountClient, txHashes: readonly string[]): Promise<readonly DepositRow[]> {
    return this.depositsIn(client, await this.transactionsOf(client, txHashes));
  }
}

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
