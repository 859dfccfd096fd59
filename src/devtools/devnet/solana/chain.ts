import { createHash } from 'node:crypto';
import { BlockLedger, type Block } from './block-ledger.js';
import { ChainState } from './chain-state.js';
import type { ExecutedTransaction } from './executed-transaction.js';
import { execute } from './executor.js';
import { Finality, type FinalityDistance } from './finality.js';
import { genesisAccounts, genesisHashOf } from './genesis.js';
import { JournalError, type Genesis, type Journal, type JournalEntry } from './journal.js';
import { LOOKUP_TABLE_PROGRAM, SLOT_HASHES } from './programs.js';
import { isFullySigned } from './signatures.js';
import { TransactionIndex } from './transaction-index.js';
import type { TransactionErrorJson } from './transaction-error.js';
import { decodeTransaction, type WireTransaction } from './wire-transaction.js';

/** How many blocks a blockhash may be behind (Agave `MAX_PROCESSING_AGE`). */
export const PROCESSING_AGE_BLOCKS = 150;
/** Agave `MAX_ENTRIES` of the sysvar. */
const SLOT_HASHES_MAX = 512;

interface Pending {
  readonly number: number;
  readonly transaction: WireTransaction;
}

/** A change of the chain outside of blocks. */
export type Change = Exclude<JournalEntry, { type: 'genesis' | 'transaction' | 'run' | 'block' }>;

/**
 * The chain: pending transactions, blocks, forks. All that changes it is in the journal before it is visible, and
 * `replay` repeats it from there.
 */
export class SolanaChain {
  readonly genesisHash: string;
  readonly state: ChainState;
  readonly ledger: BlockLedger;
  readonly finality: Finality;
  readonly transactions = new TransactionIndex();
  /** What clocks of the chain are ahead of this machine's. */
  clockOffsetMs = 0;
  isAutomatic = true;
  /** Older blocks and transactions are no longer answered. */
  firstSlot = 0;
  private readonly journal: Journal;
  private readonly pending = new Map<string, Pending>();
  private accepted = 0;
  private lastDigest = '';

  constructor(genesis: Genesis, journal: Journal) {
    this.journal = journal;
    this.genesisHash = genesisHashOf(genesis);
    this.state = new ChainState(genesis.lamportsPerByte);
    this.ledger = new BlockLedger(this.genesisHash);
    this.ledger.append(genesis.timeMs, 0, null);
    this.ledger.endRun();
    this.finality = new Finality(this.ledger, genesis);
    for (const [key, account] of genesisAccounts(this.state)) this.state.write(0, key, account);
    this.state.finalize(0);
  }

  get pendingCount(): number {
    return this.pending.size;
  }

  /** Returns the time of a block that is made now. */
  nowMs(): number {
    return Math.max(Date.now() + this.clockOffsetMs, this.ledger.head.timeMs);
  }

  /** Accepts a transaction for one of the next blocks; one that waits already stays as it is. */
  accept(transaction: WireTransaction): void {
    if (this.pending.has(transaction.signature)) return;
    const number = this.accepted;
    this.journal.append({ type: 'transaction', number, bytes: Buffer.from(transaction.bytes).toString('base64') });
    this.takeUp(number, transaction);
  }

  /** Makes the next block of all pending transactions that can be processed. */
  closeSlot(timeMs: number, stepMs: number): void {
    const included = this.runPending(this.ledger.nextSlot, timeMs);
    const slot = this.ledger.nextSlot;
    const digest = included.length === 0 ? null : this.lastDigest;
    if (this.ledger.append(timeMs, stepMs, digest)) this.journal.beginRun({ slot, timeMs, stepMs });
    if (digest !== null) this.journal.append({ type: 'block', slot, transactions: included, digest });
    this.journal.setRunLength(this.ledger.runLength);
    this.advanceFinality();
  }

  /** Makes blocks at once. */
  mine(blocks: number): void {
    for (let i = 0; i < blocks; i += 1) this.closeSlot(this.nowMs(), 0);
  }

  /** Changes the chain outside of blocks. */
  change(entry: Change): void {
    this.journal.append(entry);
    this.apply(entry);
  }

  /** Whether blocks at this height may contain a transaction with this blockhash. */
  isFresh(blockhash: string, parent: Block): boolean {
    const named = this.ledger.withHash(blockhash);
    return named !== null && named.slot <= parent.slot && parent.height - named.height <= PROCESSING_AGE_BLOCKS;
  }

  /** Returns why the block after `parent` cannot contain a transaction, or null (Agave `check_transactions`). */
  checkAge(transaction: WireTransaction, parent: Block): TransactionErrorJson | null {
    if (!this.isFresh(transaction.blockhash, parent)) return 'BlockhashNotFound';
    return this.transactions.hasMessage(transaction, parent.slot) ? 'AlreadyProcessed' : null;
  }

  /** Prepares what only a few transactions read, such as those of the lookup table program. */
  provideSlotHashes(transaction: WireTransaction, parent: Block): void {
    if (![LOOKUP_TABLE_PROGRAM, SLOT_HASHES].some((key) => transaction.keys.includes(key))) return;
    const slots = this.ledger.slots(Math.max(0, parent.slot - SLOT_HASHES_MAX), parent.slot, SLOT_HASHES_MAX + 1);
    this.state.setSlotHashes(
      slots
        .slice(-SLOT_HASHES_MAX)
        .toReversed()
        .map((slot) => [slot, this.ledger.hashOf(slot)]),
    );
  }

  /** Repeats a change that the journal has. */
  apply(entry: Change): void {
    this.ledger.endRun();
    if (entry.type === 'skip') this.ledger.skip(entry.slots);
    if (entry.type === 'fork') this.fork(entry.kept);
    if (entry.type === 'erase') this.state.write(this.ledger.nextSlot, entry.key, null);
    if (entry.type === 'rent') this.state.setRent(entry.lamportsPerByte);
    if (entry.type === 'finality') this.setFinality(entry);
    if (entry.type === 'clock') this.clockOffsetMs = entry.offsetMs;
    if (entry.type === 'automatic') this.isAutomatic = entry.isOn;
    if (entry.type === 'truncate') this.firstSlot = entry.firstSlot;
  }

  /** Repeats the acceptance of a transaction that the journal has. */
  takeUp(number: number, transaction: WireTransaction): void {
    this.pending.set(transaction.signature, { number, transaction });
    this.accepted = number + 1;
  }

  /** Repeats empty blocks that the journal has, up to this length of the last run. */
  extendRun(count: number): void {
    this.ledger.extendTo(count);
    this.advanceFinality();
  }

  /** Repeats a block that the journal has. @throws JournalError when the block comes out differently. */
  repeatBlock(timeMs: number, stepMs: number, transactions: readonly WireTransaction[], digest: string | null): void {
    const slot = this.ledger.nextSlot;
    for (const [index, transaction] of transactions.entries()) {
      this.runInBlock(transaction, slot, timeMs, index);
      this.pending.delete(transaction.signature);
    }
    if (digest !== null && digest !== this.lastDigest) {
      throw new JournalError(`The block in slot ${slot} differs from the one in the journal.`);
    }
    this.ledger.append(timeMs, stepMs, digest);
    this.advanceFinality();
  }

  private runPending(slot: number, timeMs: number): number[] {
    const parent = this.ledger.head;
    const included: number[] = [];
    for (const [signature, { number, transaction }] of this.pending) {
      if (this.checkAge(transaction, parent) !== null || !isFullySigned(transaction)) {
        this.pending.delete(signature);
      } else if (this.runInBlock(transaction, slot, timeMs, included.length)) {
        this.pending.delete(signature);
        included.push(number);
      }
    }
    return included;
  }

  /** Returns whether the transaction is in the block now. Else it may be in a later one, such as when funds arrive. */
  private runInBlock(transaction: WireTransaction, slot: number, timeMs: number, index: number): boolean {
    this.provideSlotHashes(transaction, this.ledger.head);
    const execution = execute(this.state, transaction, { slot, timeMs });
    if ('refusal' in execution) return false;
    const { signature, bytes } = transaction;
    const executed: ExecutedTransaction = { signature, bytes, slot, index, outcome: execution.outcome };
    this.transactions.add(executed, transaction);
    this.lastDigest = createHash('sha256').update(this.lastDigest).update(execution.digest).digest('hex');
    return true;
  }

  private advanceFinality(): void {
    this.finality.advance();
    this.state.finalize(this.finality.finalizedSlot);
  }

  private fork(kept: number): void {
    this.state.rollBack(kept);
    this.transactions.dropAfter(kept, decodeTransaction);
    this.ledger.dropAfter(kept);
  }

  private setFinality({ confirmed, finalized }: FinalityDistance): void {
    this.finality.distance = { confirmed, finalized };
    this.advanceFinality();
  }
}
