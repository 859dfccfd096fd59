import {
  BLOCK_VERSION,
  blockIdOf,
  numberOfBlockId,
  transactionRoot,
  witnessOf,
  type BlockHeader,
  type IncludedTransaction,
} from './block.js';
import type { Outcome } from './execution.js';
import { decodeTransaction } from './tron-transaction.js';

/** A block with everything in it. */
export interface TronBlock extends BlockHeader {
  readonly id: string;
  readonly transactions: readonly IncludedTransaction[];
}

/** A transaction as it is kept: decoded, it would take eight times the memory. */
interface KeptTransaction {
  readonly bytes: Uint8Array;
  readonly outcome: Outcome;
}

interface BlockContent {
  readonly root: string;
  readonly transactions: readonly KeptTransaction[];
}

/** Where a transaction is. */
export interface TransactionPlace {
  readonly number: number;
  readonly index: number;
}

/** Source: ref_block_bytes are two bytes of the number of a block; RecentBlockStore keeps that many. */
const RECENT_BLOCKS = 65_536;
const REFERENCE_HASH = [16, 32] as const;

/**
 * The blocks of the chain. An empty block is kept as its id and time, and the rest is computed again: a chain that runs for
 * days has hundreds of thousands of them.
 */
export class BlockStore {
  private readonly ids: string[] = [];
  private readonly times: number[] = [];
  private readonly contents = new Map<number, BlockContent>();
  private readonly places = new Map<string, TransactionPlace>();

  private readonly genesisSeed: string;
  private readonly intervalMs: number;

  constructor(genesisSeed: string, intervalMs: number) {
    this.genesisSeed = genesisSeed;
    this.intervalMs = intervalMs;
  }

  get head(): number {
    return this.ids.length - 1;
  }

  get genesisTime(): number {
    return this.timeOf(0);
  }

  timeOf(number: number): number {
    const time = this.times[number];
    if (time === undefined) throw new Error(`There is no block ${number}.`);
    return time;
  }

  idOf(number: number): string {
    const id = this.ids[number];
    if (id === undefined) throw new Error(`There is no block ${number}.`);
    return id;
  }

  /** Adds a block after the head and returns its id. */
  add(time: number, transactions: readonly IncludedTransaction[]): string {
    const number = this.ids.length;
    this.times.push(time);
    if (transactions.length > 0) {
      const kept = transactions.map(({ transaction: { bytes }, outcome }) => ({ bytes, outcome }));
      this.contents.set(number, { root: transactionRoot(transactions), transactions: kept });
    }
    const id = blockIdOf(this.headerOf(number));
    this.ids.push(id);
    for (const [index, { transaction }] of transactions.entries()) this.places.set(transaction.id, { number, index });
    return id;
  }

  /** Removes the head and returns its transactions. */
  removeHead(): readonly IncludedTransaction[] {
    const number = this.head;
    const transactions = (this.contents.get(number)?.transactions ?? []).map(decoded);
    for (const { transaction } of transactions) this.places.delete(transaction.id);
    this.contents.delete(number);
    this.ids.pop();
    this.times.pop();
    return transactions;
  }

  /** Returns a block, or null when there is none with that number. */
  byNumber(number: number): TronBlock | null {
    const id = this.ids[number];
    if (id === undefined) return null;
    return { ...this.headerOf(number), id, transactions: (this.contents.get(number)?.transactions ?? []).map(decoded) };
  }

  /** Returns a block, or null when there is none with that id. */
  byId(id: string): TronBlock | null {
    const number = /^[0-9a-f]{64}$/.test(id) ? numberOfBlockId(id) : -1;
    return this.ids[number] === id ? this.byNumber(number) : null;
  }

  /** Returns the place of a transaction, or null when it is in no block. */
  placeOf(transactionId: string): TransactionPlace | null {
    return this.places.get(transactionId) ?? null;
  }

  /** Returns the transaction at a place. */
  at({ number, index }: TransactionPlace): IncludedTransaction {
    const kept = this.contents.get(number)?.transactions[index];
    if (kept === undefined) throw new Error(`Block ${number} has no transaction ${index}.`);
    return decoded(kept);
  }

  /**
   * Whether `ref_block_bytes` and `ref_block_hash` name one of the last 65,536 blocks. Source: Manager.validateTapos,
   * RecentBlockStore.
   */
  isReference(bytes: Uint8Array, hash: Uint8Array): boolean {
    if (bytes.length !== 2) return false;
    const low = Buffer.from(bytes).readUInt16BE();
    const back = (this.head - low) & (RECENT_BLOCKS - 1);
    const id = this.ids[this.head - back];
    return id !== undefined && id.slice(...REFERENCE_HASH) === Buffer.from(hash).toString('hex');
  }

  private headerOf(number: number): BlockHeader {
    const time = this.timeOf(number);
    return {
      number,
      time,
      // The parent of the genesis block makes every chain another one.
      parentId: number === 0 ? this.genesisSeed : this.idOf(number - 1),
      transactionRoot: this.contents.get(number)?.root ?? transactionRoot([]),
      version: BLOCK_VERSION,
      witness: number === 0 ? '' : witnessOf(Math.floor((time - this.genesisTime) / this.intervalMs)),
    };
  }
}

const decoded = ({ bytes, outcome }: KeptTransaction): IncludedTransaction => ({
  transaction: decodeTransaction(bytes),
  outcome,
});
