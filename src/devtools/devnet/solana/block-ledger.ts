import { createHash } from 'node:crypto';
import { bytesOf, hexOf } from './account-key.js';

/** Blocks whose hashes are looked up: more than transactions may refer to, also after a fork. */
const RECENT_BLOCKS = 1_000;

/** A block, or a bank at the end of its slot. */
export interface Block {
  readonly slot: number;
  readonly height: number;
  readonly timeMs: number;
}

/** Blocks in slots without a gap, at equal distances of time. */
interface Run {
  readonly first: Block;
  readonly stepMs: number;
  count: number;
}

/**
 * The blocks of the chain. A run of blocks is one record, however long, because an idle chain makes 200,000 blocks a day;
 * the hash of a block follows from its slot and its transactions. No slot is used twice: the slots of a dropped fork are
 * skipped slots afterwards.
 */
export class BlockLedger {
  private readonly runs: Run[] = [];
  /** By slot: the digest of transactions and their outcomes. */
  private readonly digests = new Map<number, string>();
  private readonly recent = new Map<string, Block>();
  private readonly genesisHash: string;
  private isRunEnded = true;
  private next = 0;

  constructor(genesisHash: string) {
    this.genesisHash = genesisHash;
  }

  get head(): Block {
    const head = this.lastOf(this.runs.at(-1));
    if (head === undefined) throw new Error('The chain has no block.');
    return head;
  }

  get nextSlot(): number {
    return this.next;
  }

  /** The length of the last run. */
  get runLength(): number {
    return this.runs.at(-1)?.count ?? 0;
  }

  /**
   * Adds a block in the next slot. Returns whether it begins a run.
   * @param digest of its transactions; null for an empty block
   */
  append(timeMs: number, stepMs: number, digest: string | null): boolean {
    const last = this.runs.at(-1);
    const slot = this.next;
    const continues =
      !this.isRunEnded && last !== undefined && last.stepMs === stepMs && blockOf(last, slot).timeMs === timeMs;
    const height = last === undefined ? 0 : this.head.height + 1;
    if (continues) last.count += 1;
    else this.runs.push({ first: { slot, height, timeMs }, stepMs, count: 1 });
    this.isRunEnded = false;
    if (digest !== null) this.digests.set(slot, digest);
    this.next = slot + 1;
    this.remember(slot, 1);
    return !continues;
  }

  /** Adds empty blocks to the last run until it has `count` blocks. */
  extendTo(count: number): void {
    const last = this.runs.at(-1);
    if (last === undefined || last.count >= count) return;
    const added = count - last.count;
    last.count = count;
    this.next = last.first.slot + count;
    this.remember(this.next - 1, Math.min(added, RECENT_BLOCKS));
  }

  /** The next block begins a run. */
  endRun(): void {
    this.isRunEnded = true;
  }

  /** Leaves slots without a block. */
  skip(slots: number): void {
    this.next += slots;
    this.isRunEnded = true;
  }

  /** Removes the blocks after a slot. */
  dropAfter(slot: number): void {
    while ((this.runs.at(-1)?.first.slot ?? 0) > slot) this.runs.pop();
    const last = this.runs.at(-1);
    if (last !== undefined) last.count = Math.min(last.count, slot - last.first.slot + 1);
    for (const known of this.digests.keys()) if (known > slot) this.digests.delete(known);
    for (const [hash, block] of this.recent) if (block.slot > slot) this.recent.delete(hash);
    this.isRunEnded = true;
  }

  /** Returns the block in a slot; null when there is none. */
  at(slot: number): Block | null {
    const run = this.runs[this.runIndexAt(slot)];
    return run === undefined || slot >= run.first.slot + run.count ? null : blockOf(run, slot);
  }

  /** Returns the last block in a slot or before it. */
  atOrBefore(slot: number): Block | null {
    const run = this.runs[this.runIndexAt(slot)];
    return run === undefined ? null : blockOf(run, Math.min(slot, run.first.slot + run.count - 1));
  }

  /** Returns the slots with a block from one to another, at most `limit`. */
  slots(from: number, to: number, limit: number): number[] {
    const found: number[] = [];
    for (const { first, count } of this.runs.slice(Math.max(0, this.runIndexAt(from)))) {
      const last = Math.min(to, first.slot + count - 1);
      for (let slot = Math.max(from, first.slot); slot <= last && found.length < limit; slot += 1) found.push(slot);
      if (first.slot > to || found.length >= limit) break;
    }
    return found;
  }

  /** Returns the hash of the block in a slot, in hex. */
  hashOf(slot: number): string {
    if (slot === 0) return this.genesisHash;
    const head = Buffer.alloc(8);
    head.writeBigUInt64LE(BigInt(slot));
    const digest = bytesOf(this.digests.get(slot) ?? '');
    return hexOf(createHash('sha256').update(bytesOf(this.genesisHash)).update(head).update(digest).digest());
  }

  /** Returns the block with this hash, if it is one of the newest. */
  withHash(hash: string): Block | null {
    return this.recent.get(hash) ?? null;
  }

  private remember(lastSlot: number, count: number): void {
    for (let slot = lastSlot - count + 1; slot <= lastSlot; slot += 1) {
      const block = this.at(slot);
      if (block !== null) this.recent.set(this.hashOf(slot), block);
    }
    // In the order of slots.
    for (const hash of this.recent.keys()) {
      if (this.recent.size <= RECENT_BLOCKS) return;
      this.recent.delete(hash);
    }
  }

  /** Returns the index of the last run that begins in a slot or before it; -1 when there is none. */
  private runIndexAt(slot: number): number {
    let low = 0;
    let high = this.runs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.runs[middle]?.first.slot ?? 0) <= slot) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  private lastOf(run: Run | undefined): Block | undefined {
    return run === undefined ? undefined : blockOf(run, run.first.slot + run.count - 1);
  }
}

/** Returns the block that a run has, or would have, in a slot. */
function blockOf({ first, stepMs }: Run, slot: number): Block {
  const offset = slot - first.slot;
  return { slot, height: first.height + offset, timeMs: first.timeMs + offset * stepMs };
}
