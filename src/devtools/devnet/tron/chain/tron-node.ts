import { randomBytes } from 'node:crypto';
import { Exclusive } from '../../exclusive.js';
import { Journal, type JournalEntry } from './journal.js';
import { Refusal } from './refusal.js';
import type { SettingsChange } from './settings.js';
import { TronChain } from './tron-chain.js';
import { decodeTransaction, type TronTransaction } from './tron-transaction.js';

const SEED_BYTES = 32;

export interface TronNodeOptions {
  readonly journalPath: string;
  /** Of a new chain; a restored one keeps its own. */
  readonly intervalMs: number;
  readonly solidityDistance: number;
}

/** The chain with its journal and its clock: it makes a block at every slot, unless it is paused. */
export class TronNode {
  private readonly exclusive = new Exclusive();
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private nextRefusal: 'busy' | 'unsolidified' | null = null;

  readonly chain: TronChain;
  private readonly journal: Journal;

  private constructor(chain: TronChain, journal: Journal) {
    this.chain = chain;
    this.journal = journal;
  }

  /**
   * Opens the chain of a journal by doing again what is in it, or makes a new chain.
   * @throws Error when the journal does not lead to the same blocks.
   */
  static async open({ journalPath, intervalMs, solidityDistance }: TronNodeOptions): Promise<TronNode> {
    const { journal, entries } = Journal.open(journalPath);
    const [first, ...rest] = entries;
    if (first !== undefined) {
      if (!('genesis' in first)) throw new Error('The journal does not begin with a genesis.');
      const chain = await TronChain.create(first.genesis);
      for (const entry of rest) await replay(chain, entry);
      await chain.settlePending();
      return new TronNode(chain, journal);
    }
    const time = Math.floor(Date.now() / intervalMs) * intervalMs - intervalMs;
    const genesis = { seed: randomBytes(SEED_BYTES).toString('hex'), time, intervalMs, solidityDistance };
    const chain = await TronChain.create(genesis);
    journal.append({ genesis });
    const node = new TronNode(chain, journal);
    // Clients expect a head with a number, and the genesis block has the default, 0.
    await node.makeBlock();
    return node;
  }

  /** The chain's time in ms. */
  now(): number {
    return Date.now() + this.chain.settings.clockAheadMs;
  }

  /** Runs what needs the EVM or several states at once, apart from blocks and transactions. */
  async reading<T>(work: () => Promise<T>): Promise<T> {
    return this.exclusive.run(work);
  }

  /** Refuses the next transaction for a state of the node, whatever it is. */
  refuseNext(kind: 'busy' | 'unsolidified'): void {
    this.nextRefusal = kind;
  }

  /** Accepts a transaction; it is in the journal when this resolves. @throws Refusal */
  async accept(transaction: TronTransaction): Promise<void> {
    await this.exclusive.run(async () => {
      const refusal = this.nextRefusal;
      this.nextRefusal = null;
      if (refusal !== null) throw new Refusal(refusal, '');
      await this.chain.accept(transaction);
      this.journal.append({ transaction: Buffer.from(transaction.bytes).toString('hex') });
    });
  }

  /** Makes blocks at once, and sets the clock to the time of the last. */
  async mine(blocks: number): Promise<void> {
    await this.exclusive.run(async () => {
      for (let made = 0; made < blocks; made += 1) await this.makeBlock();
      const ahead = this.chain.blocks.timeOf(this.chain.head) - this.now();
      if (ahead > 0) this.apply({ clockAheadMs: this.chain.settings.clockAheadMs + ahead });
    });
    this.schedule();
  }

  /** Drops the last blocks, which must not be solid. @throws Error */
  async fork(blocks: number, keepsTransactions: boolean): Promise<void> {
    await this.exclusive.run(async () => {
      this.chain.dropBlocks(blocks, keepsTransactions);
      await this.chain.settlePending();
      this.journal.append({ fork: { blocks, keep: keepsTransactions } });
    });
  }

  /** Changes settings. @throws Error for an unknown parameter. */
  async change(change: SettingsChange): Promise<void> {
    await this.exclusive.run(async () => this.apply(change));
    this.schedule();
  }

  async advanceClock(ms: number): Promise<void> {
    await this.change({ clockAheadMs: this.chain.settings.clockAheadMs + ms });
  }

  /** Plans the next block. Call it once; changes of the clock call it again. */
  schedule(): void {
    clearTimeout(this.timer);
    if (this.isStopped || this.chain.settings.isPaused) return;
    const wait = this.chain.nextBlockTime(this.now()) - this.now();
    this.timer = setTimeout(() => void this.makeDueBlock(), Math.max(wait, 0));
  }

  /** Stops after the block or transaction at work. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.exclusive.run(async () => this.journal.close());
  }

  private async makeDueBlock(): Promise<void> {
    await this.exclusive.run(async () => {
      if (!this.isStopped && !this.chain.settings.isPaused) await this.makeBlock();
    });
    this.schedule();
  }

  private async makeBlock(): Promise<void> {
    const { time, id } = await this.chain.makeBlock(this.chain.nextBlockTime(this.now()));
    this.journal.append({ block: { time, id } });
  }

  private apply(change: SettingsChange): void {
    this.chain.change(change);
    this.journal.append({ settings: change });
  }
}

async function replay(chain: TronChain, entry: JournalEntry): Promise<void> {
  if ('transaction' in entry) chain.restore(decodeTransaction(Buffer.from(entry.transaction, 'hex')));
  if ('settings' in entry) chain.change(entry.settings);
  if ('fork' in entry) {
    chain.dropBlocks(entry.fork.blocks, entry.fork.keep);
    await chain.settlePending();
  }
  if ('block' in entry) {
    const { id, number } = await chain.makeBlock(entry.block.time);
    if (id !== entry.block.id) throw new Error(`Block ${number} is ${id}, and was ${entry.block.id}.`);
  }
}
