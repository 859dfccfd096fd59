import { afterCommit, type Tx } from '../../platform/database/database.js';

/** What this process knows of the nonces it has taken, by chain, in case the database forgets them. */
export class NonceMemory {
  /** The nonce that follows what was committed. */
  private readonly committed = new Map<string, number>();
  /** The nonce that follows what was signed and not heard of since: the answer to COMMIT may be lost, or it was undone. */
  private readonly unanswered = new Map<string, number>();

  /** The transaction is to take the nonce before `next`. */
  took(tx: Tx, chainRef: string, next: number): void {
    this.unanswered.set(chainRef, next);
    afterCommit(tx, () => this.remember(chainRef, next));
  }

  /**
   * What is wrong with a database that says so: it has `forgotten` what was committed, or nobody can tell whether what it
   * lacks was ever committed. Null when it knows all.
   */
  doubtOf(chainRef: string, nextNonce: number): 'unrecorded' | 'unanswered' | null {
    const open = this.unanswered.get(chainRef);
    if (open !== undefined && open <= nextNonce) this.remember(chainRef, open);
    if ((this.committed.get(chainRef) ?? 0) > nextNonce) return 'unrecorded';
    return this.unanswered.has(chainRef) ? 'unanswered' : null;
  }

  /** From here on staff or the chain decide. */
  forget(chainRef: string): void {
    this.committed.delete(chainRef);
    this.unanswered.delete(chainRef);
  }

  /** How many transactions of the wallet are known to have been committed. */
  known(chainRef: string): number {
    return this.committed.get(chainRef) ?? 0;
  }

  private remember(chainRef: string, next: number): void {
    this.committed.set(chainRef, Math.max(next, this.committed.get(chainRef) ?? 0));
    if (this.unanswered.get(chainRef) === next) this.unanswered.delete(chainRef);
  }
}
