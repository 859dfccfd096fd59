import { createHash } from 'node:crypto';
import type { AccountKey } from './account-key.js';
import type { ExecutedTransaction } from './executed-transaction.js';
import type { WireTransaction } from './wire-transaction.js';

/** The transactions of the chain, by signature, block and account. */
export class TransactionIndex {
  private readonly bySignature = new Map<string, ExecutedTransaction>();
  private readonly bySlot = new Map<number, ExecutedTransaction[]>();
  /** By account, oldest first. */
  private readonly byAccount = new Map<AccountKey, ExecutedTransaction[]>();
  /** Slots by the hash of the message: another signature of the same message is a duplicate too. */
  private readonly messages = new Map<string, number>();

  get count(): number {
    return this.bySignature.size;
  }

  add(transaction: ExecutedTransaction, decoded: WireTransaction): void {
    this.bySignature.set(transaction.signature, transaction);
    this.messages.set(messageHash(decoded), transaction.slot);
    listIn(this.bySlot, transaction.slot).push(transaction);
    const { loadedWritable, loadedReadonly } = transaction.outcome;
    for (const key of new Set([...decoded.keys, ...loadedWritable, ...loadedReadonly])) {
      listIn(this.byAccount, key).push(transaction);
    }
  }

  find(signature: string): ExecutedTransaction | null {
    return this.bySignature.get(signature) ?? null;
  }

  /** Whether a block up to this slot has the message of a transaction. */
  hasMessage(transaction: WireTransaction, slot: number): boolean {
    const found = this.messages.get(messageHash(transaction));
    return found !== undefined && found <= slot;
  }

  inSlot(slot: number): readonly ExecutedTransaction[] {
    return this.bySlot.get(slot) ?? [];
  }

  /** Returns the transactions that name an account, oldest first. */
  ofAccount(key: AccountKey): readonly ExecutedTransaction[] {
    return this.byAccount.get(key) ?? [];
  }

  /** Removes the transactions of the slots after `slot`. */
  dropAfter(slot: number, decode: (bytes: Uint8Array) => WireTransaction): void {
    for (const [dropped, transactions] of this.bySlot) {
      if (dropped <= slot) continue;
      this.bySlot.delete(dropped);
      for (const transaction of transactions) this.remove(transaction, decode(transaction.bytes));
    }
  }

  private remove(transaction: ExecutedTransaction, decoded: WireTransaction): void {
    this.bySignature.delete(transaction.signature);
    this.messages.delete(messageHash(decoded));
    const { loadedWritable, loadedReadonly } = transaction.outcome;
    for (const key of new Set([...decoded.keys, ...loadedWritable, ...loadedReadonly])) {
      const kept = this.ofAccount(key).filter((one) => one !== transaction);
      if (kept.length === 0) this.byAccount.delete(key);
      else this.byAccount.set(key, kept);
    }
  }
}

const messageHash = ({ message }: WireTransaction): string => createHash('sha256').update(message).digest('base64');

function listIn<Key, Value>(lists: Map<Key, Value[]>, key: Key): Value[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
