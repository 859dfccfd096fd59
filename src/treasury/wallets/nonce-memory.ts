import { afterCommit, type Tx } from '../../platform/database/database.js';

/** The nonces that this process has taken, by chain, to detect a database that misses them. */
export class NonceMemory {
  /** The first nonce after the committed ones. */
  private readonly committed = new Map<string, number>();
  /** The first nonce after those that were signed and whose COMMIT was not answered: it may have succeeded or not. */
  private readonly unanswered = new Map<string, number>();

  /** Notes that the transaction takes the nonces before `next`. */
  took(tx: Tx, chainRef: string, next: number): void {
    this.unanswered.set(chainRef, next);
    afterCommit(tx, () => this.remember(chainRef, next));
  }

  /**
   * Returns why a database with this `nextNonce` cannot be trusted: committed transactions are `unrecorded` in it, or a
   * COMMIT stayed `unanswered` and may or may not have succeeded. Null when it has all of them.
   */
  doubtOf(chainRef: string, nextNonce: number): 'unrecorded' | 'unanswered' | null {
    const open = this.unanswered.get(chainRef);
    if (open !== undefined && open <= nextNonce) this.remember(chainRef, open);
    if ((this.committed.get(chainRef) ?? 0) > nextNonce) return 'unrecorded';
    return this.unanswered.has(chainRef) ? 'unanswered' : null;
  }

  /** Clears the memory: from here on operators or the chain decide. */
  clear(chainRef: string): void {
    this.committed.delete(chainRef);
    this.unanswered.delete(chainRef);
  }

  /** Returns how many transactions of the wallet were committed as far as this process saw. */
  known(chainRef: string): number {
    return this.committed.get(chainRef) ?? 0;
  }

  private remember(chainRef: string, next: number): void {
    this.committed.set(chainRef, Math.max(next, this.committed.get(chainRef) ?? 0));
    if (this.unanswered.get(chainRef) === next) this.unanswered.delete(chainRef);
  }
}
