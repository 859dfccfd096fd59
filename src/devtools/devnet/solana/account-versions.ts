import type { AccountKey } from './account-key.js';

/** An account; all of its fields, as the virtual machine keeps them. */
export interface StoredAccount {
  readonly lamports: bigint;
  readonly data: Uint8Array;
  readonly owner: AccountKey;
  readonly executable: boolean;
}

interface Change {
  readonly slot: number;
  /** The account before its first change in this slot; null when there was none. */
  readonly before: StoredAccount | null;
}

/**
 * The undo log: what each account was before the slots that are not final. Forks roll it back, and reads at an older
 * commitment look into it.
 */
export class AccountVersions {
  /** By account, oldest first. */
  private readonly changes = new Map<AccountKey, Change[]>();
  private readonly changedIn = new Map<number, AccountKey[]>();

  /** Keeps an account that a slot is about to change; later calls for the same slot change nothing. */
  remember(slot: number, key: AccountKey, before: StoredAccount | null): void {
    const list = this.changes.get(key) ?? [];
    if (list.at(-1)?.slot === slot) return;
    list.push({ slot, before });
    this.changes.set(key, list);
    const keys = this.changedIn.get(slot);
    if (keys === undefined) this.changedIn.set(slot, [key]);
    else keys.push(key);
  }

  /** Returns the account as it was after a slot, or undefined when it has not changed since. */
  after(slot: number, key: AccountKey): StoredAccount | null | undefined {
    return this.changes.get(key)?.find((change) => change.slot > slot)?.before;
  }

  /** Removes all slots after `slot`, and returns the accounts as they were then. */
  rollBack(slot: number): Map<AccountKey, StoredAccount | null> {
    const restored = new Map<AccountKey, StoredAccount | null>();
    for (const [changed, keys] of this.changedIn) {
      if (changed <= slot) continue;
      this.changedIn.delete(changed);
      for (const key of keys) {
        const before = this.after(slot, key);
        if (before !== undefined) restored.set(key, before);
      }
    }
    for (const key of restored.keys()) this.keep(key, (change) => change.slot <= slot);
    return restored;
  }

  /** Forgets the slots up to one that has become final. */
  forget(finalSlot: number): void {
    // Slots are added in order.
    for (const [changed, keys] of this.changedIn) {
      if (changed > finalSlot) return;
      this.changedIn.delete(changed);
      for (const key of keys) this.keep(key, (change) => change.slot > finalSlot);
    }
  }

  private keep(key: AccountKey, isKept: (change: Change) => boolean): void {
    const kept = (this.changes.get(key) ?? []).filter(isKept);
    if (kept.length === 0) this.changes.delete(key);
    else this.changes.set(key, kept);
  }
}
