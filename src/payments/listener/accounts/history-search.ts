import type { AccountSignature, AccountTransaction } from '../../../chains/accounts.js';

/** Pages of a history that are read for one excess: anybody can make transactions that name an account. */
const PAGES_MAX = 20;

/** What an account holds above the books as of a block, in smallest units. */
export interface Excess {
  readonly account: string;
  readonly units: bigint;
  readonly asOf: number;
  /** Of a credited account: the keys of the addresses, with the tokens, for which it was read. */
  readonly payees?: readonly Payee[];
}

/** An address that owns a credited account of a token. */
export interface Payee {
  readonly token: string;
  readonly owner: string;
}

/** A transaction and its transfers. */
export interface Found extends AccountTransaction {
  readonly txHash: string;
}

/** The search for the transactions behind one excess, page by page through the history of its account. */
export class HistorySearch {
  private waiting: string[] = [];
  /** Transactions that were read for this or another account. */
  private readonly counted = new Set<string>();
  private left: bigint;
  private pages = 0;
  private isLastPage = false;
  private last: string | null = null;

  constructor(readonly excess: Excess) {
    this.left = excess.units;
  }

  /** The transaction below which the next page begins; null for the newest one. */
  get before(): string | null {
    return this.last;
  }

  get needsPage(): boolean {
    return this.waiting.length === 0 && !this.isOver;
  }

  /** Whether the excess is explained, or nothing is left to read. */
  get isOver(): boolean {
    return this.left <= 0n || (this.waiting.length === 0 && this.isLastPage);
  }

  /** Takes a page of the history. Failed and recorded transactions explain nothing. */
  turn(page: readonly AccountSignature[], fullPage: number, isRecorded: (txHash: string) => boolean): void {
    this.pages += 1;
    this.last = page.at(-1)?.txHash ?? null;
    this.isLastPage = page.length < fullPage || this.pages === PAGES_MAX;
    for (const { txHash, succeeded } of page) {
      if (succeeded && !this.counted.has(txHash) && !isRecorded(txHash)) this.waiting.push(txHash);
    }
  }

  /** Returns the next transactions to read, the newest first. */
  next(count: number): readonly string[] {
    return this.waiting.splice(0, count);
  }

  /** Subtracts what the account received in transactions up to the block of the excess, each of them once. */
  subtract(transactions: readonly Found[]): void {
    const { account, asOf } = this.excess;
    for (const { txHash, height, transfers } of transactions) {
      if (this.counted.has(txHash)) continue;
      this.counted.add(txHash);
      if (height > asOf) continue;
      for (const transfer of transfers) if (transfer.account === account) this.left -= transfer.amount;
    }
    this.waiting = this.waiting.filter((txHash) => !this.counted.has(txHash));
  }
}
